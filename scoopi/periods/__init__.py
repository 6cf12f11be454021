"""The calendar of the scheduler: periods, slots, cron and other triggers; pure, without a clock."""
