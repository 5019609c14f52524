"""What is stored: tables, migrations, and the repository that everything else reads and writes by."""
