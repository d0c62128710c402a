// Package placement says which node of a cluster plays which room, so that no two ever do. It knows
// neither mixers nor sounds; what it places are rooms by name.
//
// Each node has a record in a key-value bucket, which it renews by compare-and-set: that is its lease. It
// plays while less than Timing.Lease has passed since it last sent a renewal that succeeded, by its own
// clock. Another that has seen the record stand still for longer than that, by its own clock, marks it as
// gone, by compare-and-set, too: no renewal can succeed behind that. Then the rooms of the node are
// taken, each by compare-and-set on a record of its own. So clocks need not agree, only to go equally
// fast, within Timing.Margin. A node that was marked as gone begins another life, which has no rooms.
//
// The method is that of leases: Gray and Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for
// Distributed File Cache Consistency", SOSP 1989.
package placement
