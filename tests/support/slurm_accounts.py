"""Accounting for a test's own Slurm: slurmdbd, and a database for it."""

import subprocess
from pathlib import Path

PROGRAMS = ("slurmdbd", "sacctmgr", "sacct", "mariadbd")
# In either folder, under either name, by the release of the database.
TABLES = ("/usr/share/mysql", "/usr/share/mariadb"), "m*_system_tables.sql"
DATABASE = (
    *("mariadbd", "--no-defaults", "--user=root", "--skip-networking", "--skip-grant-tables"),
    *("--innodb-log-file-size=8M", "--innodb-flush-method=nosync", "--sync-frm=0"),
)
NAME = "accounts"
SLURMDBD_CONF = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdPort=17819
SlurmUser=root
PidFile={folder}/slurmdbd.pid
LogFile={folder}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc={name}
"""
SLURM_CONF = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=17819
AccountingStoragePass={folder}/munge.socket
AccountingStorageEnforce=associations
"""


def start(slurm, folder, conf):
    """Start the database and slurmdbd, which knows one user, root, with an account."""
    database = (*DATABASE, f"--datadir={folder}/database")
    (folder / "database").mkdir()
    [tables] = [path for place in TABLES[0] for path in Path(place).glob(TABLES[1])]
    subprocess.run(
        [*database, "--bootstrap"],
        # Made here, too, because with some releases slurmdbd cannot query after it made its own.
        input=f"create database {NAME};\ncreate database mysql;\nuse mysql;\n{tables.read_text()}",
        text=True,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    slurm.start(*database, f"--socket={folder}/database.socket")
    slurm.wait_for_socket(folder / "database.socket")  # else slurmdbd sleeps for five seconds
    slurm.configure("slurmdbd.conf", SLURMDBD_CONF.format(folder=folder, name=NAME))
    slurm.configure("slurm.conf", conf + SLURM_CONF.format(folder=folder))
    slurm.start("slurmdbd", "-D", MYSQL_UNIX_PORT=f"{folder}/database.socket")
    slurm.wait_for("root", "sacctmgr", "--noheader", "list", "user", "root", "format=user")
