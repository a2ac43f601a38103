"""The file of a job: what is refused, by the name of the field that is wrong.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
from pathlib import Path

import muslin
from farm_jobs import JobTest, small_job, write_files
from muslin.command.batch_tasks import DrapeOptions
from muslin.fabrics import find_fabric
from muslin.farm.job import read_job
from muslin.farm.tasks import files_read, tasks_of

SHEET = {"sheet": {"mesh": "sheet.obj"}}
STILL = {"still": {"bodies": ["ball.obj"]}}
# What is changed in a good job, and what the refusal says.
REFUSED = (
    ({"muslin_job": 2}, "muslin_job: "),
    ({"muslin_job": True}, "muslin_job: "),
    ({"colour": 1}, "colour: is not a field"),
    ({"name": "../up"}, "name: "),
    ({"output": 3}, "output: "),
    ({"output": "caches/{garment}.pc2"}, "output: "),  # two shots of one name
    ({"output": "../{garment}_{shot}.pc2"}, "outside of the folder"),
    ({"output": "/tmp/{garment}_{shot}.pc2"}, "outside of the folder"),
    ({"output": "link/{garment}_{shot}.pc2"}, "outside of the folder"),
    ({"output": "opening.batch/{garment}_{shot}.pc2"}, "in the folder of the job's records"),
    ({"output": "{garment}_{shot}.obj"}, "must end with .pc2"),
    ({"output": "{garment.name}_{shot}.pc2"}, "{garment.name} is unknown"),
    ({"output": "{garment!r}_{shot}.pc2"}, "is unknown"),
    ({"output": "{garment}_{shot:>4}.pc2"}, "is unknown"),
    ({"output": "{garment}_{shot"}, "output: "),
    ({"garments": {}}, "garments: "),
    ({"garments": []}, "garments: "),
    ({"garments": {"a b": {"mesh": "sheet.obj"}}}, "garments.a b: a name has"),
    ({"garments": {"a.b": {"mesh": "sheet.obj"}}}, "garments.a.b: a name has"),
    ({"garments": {"sheet": {"mesh": "none.obj"}}}, "garments.sheet.mesh: there is no file"),
    ({"garments": {"sheet": {}}}, "garments.sheet.mesh: is missing"),
    ({"garments": {**SHEET, "SHEET": SHEET["sheet"]}}, "garments.SHEET: another one differs"),
    ({"garments": {"sheet": {"mesh": "sheet.obj", "run": "x"}}}, "garments.sheet.run: "),
    ({"shots": {"still": {"bodies": "ball.obj"}}}, "shots.still.bodies: "),
    ({"shots": {"still": {"bodies": [{"motion": "ball.obj"}]}}}, "shots.still.bodies[0].mesh: "),
    ({"shots": {"still": {"blend": "none.blend"}}}, "shots.still.blend: there is no file"),
    ({"shots": {"still": {"blend": "ball.obj", "bodies": []}}}, "shots.still: "),
    ({"settings": []}, "settings: "),
    ({"settings": {"frames": {"first": 1}}}, "settings.frames: "),
    ({"settings": {"frames": None}}, "settings.frames: "),
    ({"settings": {"frames": "many"}}, "settings.frames: "),
    ({"settings": {"self_contact": 1}}, "settings.self_contact: must be true or false"),
    ({"settings": {"bend": True}}, "settings.bend: "),
    ({"settings": {"bend": [0.1, True]}}, "settings.bend: "),
    ({"settings": {"budget_ms": 5, "wrinkles": "--last-frame=x.obj"}}, "settings.wrinkles: "),
    ({"settings": {"sew": "--last-frame=x.obj"}}, "settings.sew: "),
    ({"settings": {"pin": ["0,7", "--last-frame=x.obj"]}}, "settings.pin: "),
    ({"settings": {"order": 1, "coefficients": [1]}}, "sheet.still.plain: "),
    ({"settings": {"level": 1}}, "sheet.still.plain: --level does nothing without"),
    ({"settings": {"pin_motion": ["ball.obj", "ball.obj"]}}, "sheet.still.plain: --pin-motion is"),
    ({"settings": {"quality": "best"}}, "settings.quality: "),
    ({"settings": {"output": "x.pc2"}}, "settings.output: is not a setting"),
    ({"settings": {"record": "x"}}, "settings.record: is not a setting"),
    ({"settings": {"threads": 4}}, "settings.threads: is not a setting"),
    ({"settings": {"-o": "x"}}, "settings.-o: is not a setting"),
    ({"settings": {"fabric": "none.json"}}, "settings.fabric: there is no file"),
    ({"settings": {"fabric": "tinfoil"}}, "settings.fabric: "),
    ({"variations": {"silk": {"bend": -1}}}, "variations.silk.bend: "),
    ({"variations": {"silk": 3}}, "variations.silk: "),
    ({"leave_out": {}}, "leave_out: "),
    ({"leave_out": [{}]}, "leave_out[0]: "),
    ({"leave_out": [{"shot": "none"}]}, "leave_out[0].shot: there is no shot"),
    ({"leave_out": [{"garment": ["x"]}]}, "leave_out[0].garment: there is no garment"),
    ({"leave_out": [{"variation": "plain"}]}, "leave_out: leaves nothing"),
)


class RefusalTest(JobTest):
    def refused(self, part):
        result = self.run_batch(code=2)
        self.assertIn(part, result.stderr)
        self.assertIn(str(self.path), result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertFalse(self.state.exists())

    def test_each_names_its_field(self):
        (self.folder / "link").symlink_to("/tmp")
        for changes, part in REFUSED:
            with self.subTest(changes=changes):
                self.write(small_job(**changes))
                self.refused(part)

    def test_missing_fields(self):
        for name in ("muslin_job", "output", "garments", "shots"):
            with self.subTest(name):
                job = small_job()
                del job[name]
                self.write(job)
                self.refused(f"{name}: is missing")

    def test_what_is_no_json(self):
        for text, part in (
            ("", "is empty"),
            ("[]", "must be an object"),
            ("[" * 100000, "is not JSON"),
            ('{"muslin_job": 1, "muslin_job": 1}', "muslin_job is given twice"),
            ("\udcff".encode("utf-8", "surrogatepass").decode("latin-1"), "is not JSON"),
        ):
            with self.subTest(text=text[:20]):
                self.path.write_text(text, encoding="latin-1")
                self.refused(part)

    def test_options_that_may_stand_alone(self):
        """As `drape` takes them: with a value or without."""
        options = DrapeOptions()
        given = ("sew", True, ["--sew"]), ("sew", False, []), ("sew", "exactly", ["--sew=exactly"])
        live = ("wrinkles", True, ["--wrinkles"]), ("wrinkles", 0.1, ["--wrinkles=0.1"])
        for name, value, expected in (*given, *live):
            with self.subTest(name, value=value):
                self.assertEqual(options.of_setting(name, value), expected)
        self.write(small_job(settings={"wrinkles": True, "budget_ms": 5, "sew": False}))
        self.assertEqual(self.run_batch("--list").stdout.count("to do"), 4)

    def test_a_folder_with_the_mark_of_a_motion(self):
        folder = self.folder / "take.pc2:b"
        folder.mkdir()
        write_files(folder)
        mesh = muslin.read_obj(folder / "ball.obj")
        with muslin.Pc2Writer(folder / "roll.pc2", mesh.vertex_count) as motion:
            motion.write(mesh.positions)
        bodies = ["ball.obj", {"mesh": "ball.obj", "motion": "roll.pc2"}]
        self.path = folder / "opening.json"
        self.write(small_job(garments=SHEET, shots={"still": {"bodies": bodies}}))
        self.assertIn("1 done", self.run_batch().stdout)

    def test_a_file_whose_name_begins_otherwise(self):
        for stem, name in (("_y", "y"), ("-", "job")):
            with self.subTest(stem):
                self.path = self.folder / f"{stem}.json"
                self.write(small_job())
                self.assertEqual(read_job(self.path).name, name)

    def test_an_output_that_is_read(self):
        """A motion has the ending of an output."""
        self.write(small_job(garments=SHEET, shots=STILL))
        self.run_batch()
        moved = {"mesh": "ball.obj", "motion": "caches/still/sheet_plain.pc2"}
        self.write(small_job(garments=SHEET, shots={"still": {"bodies": [moved]}}))
        self.assertIn("is an input", self.run_batch(code=2).stderr)

    def test_a_task_that_is_not_there(self):
        self.write(small_job())
        for arguments in (["--task", "4"], ["--task", "none"], ["--only", "none"]):
            with self.subTest(arguments):
                self.run_batch(*arguments, code=2)
        for number in ("\N{SUPERSCRIPT TWO}", "9" * 5000):  # digits that are no number
            with self.subTest(number[:9]):
                self.assertIn("there is no task", self.run_batch("--task", number, code=2).stderr)
        self.run_batch("--task", "0003")

    def test_the_ending_of_a_job(self):
        """Jobs that differ in their endings alone would share their records."""
        self.write(small_job())
        for name in ("opening.txt", "opening.batch", "opening", ".json"):
            with self.subTest(name):
                self.path = self.path.rename(self.folder / name)
                self.assertIn("ends with .json", self.run_batch(code=2).stderr)

    def test_a_fabric_by_a_path(self):
        """Whatever its ending: it begins at the folder of the job."""
        (self.folder / "fabrics").mkdir()
        (self.folder / "fabrics" / "mine").write_bytes(Path(find_fabric("silk").path).read_bytes())
        self.write(small_job(settings={"frames": 4, "fabric": "fabrics/mine"}))
        self.assertEqual(self.run_batch("--list").stdout.count("to do"), 4)
        self.assertIn(
            self.folder / "fabrics" / "mine", files_read(tasks_of(read_job(self.path))[0])
        )

    def test_a_field_that_cannot_be_shown(self):
        self.write(small_job(settings={"fra\nmes": 4}))
        self.refused("settings.fra?mes: ")

    def test_a_field_reads_as_json_does(self):
        job = json.dumps(small_job(garments=SHEET, shots=STILL))
        self.path.write_text(job.replace('"settings": {', '"settings": {"bend": 1e400, ', 1))
        self.assertIn("settings.bend: ", self.run_batch(code=2).stderr)
