// Package placement decides which node of a cluster plays which room. At most one node plays a room at a
// time. The package is independent of mixers and sounds; it places rooms by name.
//
// Each node has a record in a key-value bucket and renews it by compare-and-set. This is its lease. By its
// own clock, a node plays for at most Timing.Lease after it sent its last successful renewal. Another node
// that has seen the record unchanged for longer than that, by its own clock, marks it as gone, also by
// compare-and-set. After that no renewal can succeed. The rooms of the node are then taken over, each by
// compare-and-set on its own record. Clocks therefore need not agree; they only need to run at the same speed
// within Timing.Margin. A node that was marked as gone starts a new life, which has no rooms.
//
// The method is leases: Gray and Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for Distributed
// File Cache Consistency", SOSP 1989.
package placement
