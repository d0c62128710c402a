// Package uptime is the clock by which leases go: it counts the time in which the machine sleeps, too, as
// far as the system can tell.
package uptime
