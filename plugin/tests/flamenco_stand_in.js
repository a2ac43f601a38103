// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for what Flamenco's manager gives a job compiler script: the modules `author` and `path`, `print`, and the
// job. After the sources of Flamenco 3 (internal/manager/job_compilers): tasks need a name and a type, commands a name
// and parameters; nothing else is there, no files and no console. The test puts the script behind this, and the call of
// main() behind that. ES5: duktape reads it, too.

var author = {
    Task: function (name, type) {
        name = String(name).trim();
        type = String(type).trim();
        if (!name) { throw new Error("author.Task(name, type): name is required"); }
        if (!type) { throw new Error("author.Task(name, type): type is required"); }
        var task = { name: name, type: type, commands: [], dependencies: [] };
        Object.defineProperty(task, "addCommand", { value: function (command) { task.commands.push(command); } });
        Object.defineProperty(task, "addDependency", { value: function (other) { task.dependencies.push(other.name); } });
        return task;
    },
    Command: function (name, parameters) {
        if (typeof name !== "string" || !name) { throw new Error("author.Command(name, parameters): no name"); }
        if (typeof parameters !== "object") { throw new Error("author.Command(name, parameters): no parameters"); }
        return { name: name, parameters: parameters };
    },
};

var path = {
    dirname: function (name) { return name.slice(0, Math.max(name.lastIndexOf("/"), 0)) || "."; },
    basename: function (name) { return name.slice(name.lastIndexOf("/") + 1); },
    join: function () { return Array.prototype.join.call(arguments, "/"); },
};

// What the manager makes of a submitted job; settings that are not given have their defaults, as in its add-on.
function compiled(jobType, compile, given) {
    var settings = {};
    jobType.settings.forEach(function (setting) {
        if (setting.hasOwnProperty("default")) { settings[setting.key] = setting["default"]; }
        if (given.hasOwnProperty(setting.key)) { settings[setting.key] = given[setting.key]; }
    });
    var job = { name: "a job", settings: settings, tasks: [] };
    Object.defineProperty(job, "addTask", { value: function (task) { job.tasks.push(task); } });
    compile(job);
    return { type: jobType, tasks: job.tasks };
}
