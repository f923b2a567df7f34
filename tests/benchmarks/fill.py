"""Fill an empty database with a history, and tell how long that took and how large it is."""

import sys
import time

from tests.benchmarks import application


def main(size: int) -> None:
    from django.db import connection

    from tests.benchmarks.measuring import report

    began = time.perf_counter()
    application.prepare(size)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database()) / 1048576")
        report("fill", runs=size, seconds=round(time.perf_counter() - began, 1), database_mib=cursor.fetchone()[0])


if __name__ == "__main__":
    application.start()
    main(int(sys.argv[1]))
