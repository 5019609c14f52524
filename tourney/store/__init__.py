"""The store: tables, migrations, and the database that everything else reads and writes by."""
