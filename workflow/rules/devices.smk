"""The kernels on a device, where it is asked for."""


rule device_report:
    input:
        text=KERNEL_FILES,
        qkv=rules.extract.output.qkv,
        gate="results/kernels.json",
        schema=source("workflow/schemas/device.schema.json"),
        lib=library("model.qkv", "device.report"),
    output:
        "results/devices/{adapter}.json",
    log:
        "results/logs/device-{adapter}.log",
    wildcard_constraints:
        adapter=r"[a-z0-9-]+",
    # All cores, whatever their number: a software device uses them, and times are worth nothing
    # beside another job.
    threads: 1024
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        wanted=CONFIG["adapter"],
        sizes=[[n, d] for d in CONFIG["head_dims"] for n in CONFIG["n_values"]],
        seed=CONFIG["seed"],
        control_key_rows=CONFIG["control_key_rows"],
        time_kernels=CONFIG["time_kernels"],
    script:
        "../scripts/device.py"


rule device_pictures:
    input:
        measured=rules.device_report.output[0],
        lib=library("figures.device"),
    output:
        **(
            {"time": "results/devices/{adapter}-time.svg"}
            if CONFIG["time_kernels"]
            else {}
        ),
        exp="results/devices/{adapter}-exp.svg",
    log:
        "results/logs/device-pictures-{adapter}.log",
    wildcard_constraints:
        adapter=r"[a-z0-9-]+",
    localrule: True
    resources:
        **SMALL_JOB,
    script:
        "../scripts/device_pictures.py"


rule device:
    input:
        device_files,
    output:
        touch("results/devices/checked.ok"),
    log:
        "results/logs/device.log",
