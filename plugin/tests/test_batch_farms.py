"""A job as farms take it: a job type of Flamenco, run by a JavaScript machine; a bundle of Open Job Description, by its
published rules. That of Slurm is run for real, by test_slurm.py.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import openjd_rules
from farm_jobs import JobTest, small_job
from in_process import run_in_process
from muslin.command import child

CHECKOUT = Path(__file__).resolve().parents[2]
STAND_IN = Path(__file__).with_name("flamenco_stand_in.js")
MACHINES = [name for name in ("node", "duk") if shutil.which(name)]
# As Flamenco's OpenAPI description says of a job type and its settings.
SETTING_FIELDS = {
    *("key", "type", "subtype", "choices", "propargs", "description", "label", "default", "eval"),
    *("evalInfo", "visible", "required", "editable"),
}
TYPES = {"string": str, "int32": int, "float": float, "bool": bool}
SUBTYPES = {"file_path", "dir_path", "file_name", "hashed_file_path"}
VISIBLE = {"visible", "hidden", "submission", "web"}


class FarmTest(JobTest):
    """Two garments in a shot of bodies and one of a .blend file; two variations."""

    def setUp(self):
        super().setUp()
        (self.folder / "shots").mkdir()
        (self.folder / "shots" / "sit.blend").write_bytes(b"BLENDER-v")
        shots = {"still": {"bodies": ["ball.obj"]}, "sit": {"blend": "shots/sit.blend"}}
        self.write(small_job(shots=shots, variations={"plain": {}, "stiff": {"bend": 0.01}}))
        self.names = [
            f"{garment}.{shot}.{variation}"
            for garment in ("sheet", "flag")
            for shot in ("still", "sit")
            for variation in ("plain", "stiff")
        ]

    def drape_command(self, muslin, name, threads="1", flags=()):
        return [muslin, "batch", str(self.path), "--task", name, "--threads", threads, *flags]

    def without_blends(self):
        """--fail is passed on to drapes alone."""
        self.write(small_job(shots={"still": {"bodies": ["ball.obj"]}}))

    def bake_command(self, name, threads="1"):
        bake = [
            "--python-exit-code",
            "1",
            "--python-expr",
            "import bpy; bpy.ops.muslin.bake_task()",
        ]
        blend = self.folder / "shots" / "sit.blend"
        return [
            "blender",
            "-b",
            "-t",
            threads,
            str(blend),
            *bake,
            "--",
            str(self.path),
            name,
            "--threads",
            threads,
        ]


@unittest.skipUnless(MACHINES, "neither node nor duk is here; tools/setup --lint has duktape")
class FlamencoTest(FarmTest):
    said = ()  # what else is said where the job type is made

    def compiled(self, **given):
        """The job type and the tasks of each machine that is here; they agree."""
        script = self.folder / "muslin.js"
        self.run_batch("--flamenco", script, "--muslin", "/opt/muslin", *self.said)
        call = f"compiled(JOB_TYPE, compileJob, {json.dumps(given)})"
        program = self.folder / "program.js"
        tell = "(typeof console === 'undefined' ? print : console.log)"
        text = f"{STAND_IN.read_text()}\n{script.read_text()}\n{tell}(JSON.stringify({call}));\n"
        program.write_text(text)
        found = [
            subprocess.run([machine, program], capture_output=True, text=True, timeout=60)
            for machine in MACHINES
        ]
        self.assertEqual(len({(one.returncode == 0, one.stdout) for one in found}), 1, found)
        return found[0]

    def tasks(self, **given):
        result = self.compiled(**given)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["tasks"]

    def test_job_type(self):
        kind = json.loads(self.compiled().stdout)["type"]
        self.assertLessEqual(kind.keys(), {"label", "description", "settings"})
        keys = [setting["key"] for setting in kind["settings"]]
        self.assertEqual(len(set(keys)), len(keys))
        for setting in kind["settings"]:
            with self.subTest(setting["key"]):
                self.assertLessEqual(setting.keys(), SETTING_FIELDS)
                self.assertIsInstance(setting["default"], TYPES[setting["type"]])
                self.assertIn(setting.get("subtype", "file_path"), SUBTYPES)
                self.assertIn(setting.get("visible", "web"), VISIBLE)

    def test_tasks_as_a_worker_runs_them(self):
        tasks = self.tasks()
        self.assertEqual([task["name"] for task in tasks], self.names)
        for task in tasks:
            with self.subTest(task["name"]):
                (command,) = task["commands"]
                given = command["parameters"]
                if ".sit." not in task["name"]:
                    self.assertEqual((task["type"], command["name"]), ("misc", "exec"))
                    expected = self.drape_command("/opt/muslin", task["name"])
                    self.assertEqual([given["exe"], *given["args"]], expected)
                    continue
                self.assertEqual((task["type"], command["name"]), ("blender", "blender-render"))
                self.assertEqual((given["exe"], given["exeArgs"]), ("{blender}", "{blenderArgs}"))
                line = ["blender", *given["argsBefore"], given["blendfile"], *given["args"]]
                self.assertEqual(line, self.bake_command(task["name"]))

    def test_settings(self):
        moved = self.tasks(job_file="/farm/opening.json", only="*.sit.plain", threads=4)
        self.assertEqual([task["name"] for task in moved], ["sheet.sit.plain", "flag.sit.plain"])
        given = moved[0]["commands"][0]["parameters"]
        self.assertEqual(given["blendfile"], "/farm/shots/sit.blend")
        self.assertEqual(given["argsBefore"], ["-b", "-t", "4"])
        self.assertEqual(given["args"][-4:-2], ["/farm/opening.json", "sheet.sit.plain"])
        self.assertNotEqual(self.compiled(only="nobody").returncode, 0)

    def test_only_is_that_of_the_command_line(self):
        for pattern in (
            "*",
            "sheet.*",
            "*.s[ij]t.*",
            "*.s[!i]*",
            "fl?g.*.plain",
            ".sit.",
            "sheet+*",
        ):
            with self.subTest(pattern):
                listed = run_in_process("batch", self.path, "--list", "--only", pattern)
                expected = re.findall(r"^ *\d+ (.*): to do$", listed.stdout, re.MULTILINE)
                found = self.compiled(only=pattern)
                self.assertEqual(found.returncode == 0, bool(expected), found.stderr)
                tasks = json.loads(found.stdout)["tasks"] if expected else []
                self.assertEqual([task["name"] for task in tasks], expected)

    def test_flags_are_passed_on(self):
        self.said = ["--again", "--threads", 96]
        for task in self.tasks():
            self.assertEqual(task["commands"][0]["parameters"]["args"][-2:], ["96", "--again"])
        kind = json.loads(self.compiled().stdout)["type"]
        (threads,) = [one for one in kind["settings"] if one["key"] == "threads"]
        self.assertLessEqual(threads["default"], threads["propargs"]["max"])
        self.said = ["--fail"]
        self.without_blends()
        for task in self.tasks():
            self.assertEqual(task["commands"][0]["parameters"]["args"][-1], "--fail")


class OpenjdTest(FarmTest):
    def bundle(self):
        self.run_batch(
            "--openjd", self.folder / "bundle", "--threads", 2, "--muslin", "/opt/muslin"
        )
        found = {
            path.stem: json.loads(path.read_text()) for path in (self.folder / "bundle").iterdir()
        }
        self.assertEqual(set(found), {"template", "parameter_values", "asset_references"})
        return found

    def test_template_by_the_published_rules(self):
        bundle = self.bundle()
        template = bundle["template"]
        openjd_rules.check_template(template)
        given = {one["name"]: one["value"] for one in bundle["parameter_values"]["parameterValues"]}
        known = {one["name"] for one in template["parameterDefinitions"]}
        self.assertLessEqual(given.keys(), known)
        found = list(openjd_rules.tasks_of(template, given))
        drapes = [name for name in self.names if ".still." in name]
        bakes = [name for name in self.names if ".sit." in name]
        expected = [self.drape_command("/opt/muslin", name, "2") for name in drapes]
        expected += [self.bake_command(name, "2") for name in bakes]
        self.assertEqual(found, expected)

    def test_flags_are_passed_on(self):
        self.run_batch("--openjd", self.folder / "bundle", "--again")
        template = json.loads((self.folder / "bundle/template.json").read_text())
        openjd_rules.check_template(template)
        for step in template["steps"]:
            self.assertEqual(step["script"]["actions"]["onRun"]["args"][-1], "--again")
        self.without_blends()
        self.run_batch("--openjd", self.folder / "bundle", "--fail")
        (step,) = json.loads((self.folder / "bundle/template.json").read_text())["steps"]
        self.assertEqual(step["script"]["actions"]["onRun"]["args"][-1], "--fail")

    def test_files_travel(self):
        assets = self.bundle()["asset_references"]["assetReferences"]
        names = ("opening.json", "sheet.obj", "flag.obj", "ball.obj", "shots/sit.blend")
        expected = sorted(str(self.folder / name) for name in names)
        self.assertEqual(assets["inputs"]["filenames"], expected)
        folders = ("caches/sit", "caches/still", "opening.batch")
        written = [str(self.folder / name) for name in folders]
        self.assertEqual(assets["outputs"]["directories"], written)

    def test_many_tasks_are_several_steps(self):
        variations = {f"v{number}": {} for number in range(1030)}
        shots = {"sit": {"blend": "shots/sit.blend"}}
        self.write(small_job(shots=shots, variations=variations, garments={"sheet": {}}))
        template = self.bundle()["template"]
        openjd_rules.check_template(template)
        self.assertEqual([step["name"] for step in template["steps"]], ["Bake", "Bake 2"])
        self.assertEqual(len(list(openjd_rules.tasks_of(template, {}))), 1030)

    def test_the_rules_find_faults(self):
        """A checker that lets everything pass would show nothing."""
        good = self.bundle()["template"]

        def broken(change):
            template = copy.deepcopy(good)
            change(template)
            with self.assertRaises(openjd_rules.Broken):
                openjd_rules.check_template(template)

        def step(template):
            return template["steps"][0]

        def action(template):
            return step(template)["script"]["actions"]["onRun"]

        def space(template):
            return template["steps"][1]["parameterSpace"]

        broken(lambda t: t.update(specificationVersion="jobtemplate-2024-01"))
        broken(lambda t: t.update(name="n" * 129))
        broken(lambda t: t.update(name="{{Param.JobFile}}"))  # a path, before there is a host
        broken(lambda t: t.update(colour="red"))
        broken(lambda t: t["parameterDefinitions"][0].update(name="Job File"))
        broken(lambda t: t["parameterDefinitions"].append(t["parameterDefinitions"][0]))
        broken(lambda t: step(t).update(name="s" * 65))
        broken(lambda t: step(t).update(name=t["steps"][1]["name"]))
        broken(lambda t: action(t)["args"].append("{{Task.Param.Blend}}"))
        broken(lambda t: action(t)["args"].append("{{Param.Task}"))
        broken(lambda t: action(t)["args"].append("two\nlines"))
        broken(lambda t: action(t)["cancelation"].update(notifyPeriodInSeconds=601))
        broken(lambda t: space(t)["taskParameterDefinitions"][1]["range"].append("one more"))
        broken(lambda t: space(t)["taskParameterDefinitions"][0].update(range=["t"] * 1025))
        broken(lambda t: space(t).update(combination="(Task, Task)"))


class SlurmScriptTest(FarmTest):
    def test_bash_reads_it(self):
        script = self.folder / "array.sh"
        flags = ["--again", "--fail"]
        said = ["-j", 3, "--threads", 2, "--muslin", "/opt/my muslin", *flags]
        self.run_batch("--slurm", script, *said)
        subprocess.run(["bash", "-n", script], check=True)
        text = script.read_text()
        self.assertIn("#SBATCH --array=0-7%3\n", text)
        self.assertIn("#SBATCH --cpus-per-task=2\n", text)
        said = subprocess.run(
            ["bash", "-c", f"exec() {{ printf '%s\\n' \"$@\"; }}; source {script}"],
            env={"SLURM_ARRAY_TASK_ID": "5", "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        expected = self.drape_command("/opt/my muslin", self.names[5], "2")
        self.assertEqual(said, [*expected, "--blender", "blender", *flags])

    def test_it_calls_what_was_started(self):
        """A program of a virtual environment that is on nobody's PATH."""
        program = self.folder / "muslin"
        package = Path(child.__file__).resolve().parents[2]
        program.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(package)!r})\n"
            "from muslin.__main__ import run\nsys.exit(run())\n"
        )
        program.chmod(0o755)
        environment = {**os.environ, "MUSLIN_COMMAND": ""}
        command = ["./muslin", "batch", self.path, "--slurm", "array.sh"]
        subprocess.run(command, cwd=self.folder, env=environment, check=True)
        self.assertIn(f"exec {program} batch", (self.folder / "array.sh").read_text())

    def test_a_task_builds_nothing(self):
        """tools/muslin, on a farm: all machines would build at once."""
        environment = {**os.environ, "MUSLIN_BUILD": str(self.folder / "none")}
        del environment["MUSLIN_LIBRARY"]
        for task in (["--task", "0"], ["--task=0"]):
            with self.subTest(task):
                result = subprocess.run(
                    [CHECKOUT / "tools/muslin", "batch", self.path, *task],
                    env=environment,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn("there is none", result.stderr)
                self.assertFalse((self.folder / "none").exists())

    def test_names_that_no_script_can_hold(self):
        """A line of a name would be a line of the script, and Slurm takes quotes and backslashes for its own."""
        for name in ("a\nb.json", 'a".json', "a\\b.json"):
            with self.subTest(name):
                self.path = self.path.rename(self.folder / name)
                said = self.run_batch("--slurm", self.folder / "array.sh", code=2).stderr
                self.assertIn("has a name that no script can hold", said)
                self.assertFalse((self.folder / "array.sh").exists())

    def test_a_program_with_any_name(self):
        program = os.fsdecode(b"/opt/\xff muslin")
        self.run_batch("--slurm", self.folder / "array.sh", "--muslin", program)
        self.assertIn(b"exec '/opt/\xff muslin' batch", (self.folder / "array.sh").read_bytes())

    def test_files_of_the_job_are_not_replaced(self):
        before = {path: path.read_bytes() for path in self.folder.rglob("*.*") if path.is_file()}
        script = self.folder / "array.sh"
        for arguments in (
            ["--slurm", self.path],
            ["--flamenco", self.folder / "ball.obj"],
            ["--flamenco", self.folder / "shots" / ".." / "sheet.obj"],
            ["--slurm", script, "--flamenco", script],
        ):
            with self.subTest(arguments):
                self.assertIn("is a file of the job", self.run_batch(*arguments, code=2).stderr)
        self.path.rename(self.folder / "template.json")
        self.path = self.folder / "template.json"
        self.assertIn("template.json", self.run_batch("--openjd", self.folder, code=2).stderr)
        self.path.rename(self.folder / "opening.json")
        after = {path: path.read_bytes() for path in self.folder.rglob("*.*") if path.is_file()}
        self.assertEqual(after, before)

    def test_what_cannot_be_written_is_named(self):
        self.state.write_text("")
        script = self.folder / "array.sh"
        for arguments in (
            ["--openjd", self.path / "bundle"],
            ["--openjd", self.state],
            ["--slurm", script],
        ):
            with self.subTest(arguments):
                self.assertIn("cannot be written: ", self.run_batch(*arguments, code=2).stderr)

    def test_nothing_is_run(self):
        result = run_in_process("batch", self.path, "--slurm", self.folder / "array.sh")
        self.assertEqual((result.returncode, self.outputs()), (0, {}))

    def test_what_would_do_nothing_is_refused(self):
        made = self.folder / "made"
        for arguments in (
            ["--list", "--slurm", made],
            ["--task", "0", "--slurm", made],
            ["--task", "0", "--only", "*"],
            ["--task", "0", "-j", 2],
            ["--list", "--fail"],
            ["--list", "--again"],
            ["--flamenco", made, "-j", 2],
            ["--flamenco", made, "--blender", "blender"],
            ["--openjd", made, "-j", 2],
            ["--openjd", made, "--fail"],  # the job has .blend files
            ["--flamenco", made, "--fail"],
            ["--muslin", "/opt/muslin"],
        ):
            with self.subTest(arguments):
                self.assertIn("does nothing with", self.run_batch(*arguments, code=2).stderr)
                self.assertFalse(made.exists())


if __name__ == "__main__":
    unittest.main()
