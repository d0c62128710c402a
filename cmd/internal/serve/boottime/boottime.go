// Package boottime is the clock of leases. As far as the system supports it, the clock continues
// while the machine sleeps.
package boottime
