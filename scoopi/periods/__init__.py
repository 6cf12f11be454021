"""The scheduler's calendar: periods, slots, cron expressions and fire times; pure, nothing reads a clock."""
