"""What Postgres can do beyond the kernel's needs: notices, and appends in one round trip."""
