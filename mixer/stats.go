package mixer

// Stats is a snapshot of the counters between two blocks. In every snapshot Asked = Started + Rejected +
// Limited + Coalesced and Started = Ended + Stopped + Stolen + Playing.
type Stats struct {
	Frame int64 // the first frame that is not mixed yet

	Asked     int64 // starts whose frame has been mixed
	Started   int64 // starts that got a voice
	Rejected  int64 // starts that got no voice
	Limited   int64 // starts that a limit or a cooldown refused
	Coalesced int64 // starts that were merged into another voice
	Ended     int64 // reached their end, or were removed after a fault
	Stopped   int64 // ended by a stop
	Stolen    int64 // ended because they were stolen
	Virtual   int64 // the virtual voices among Playing
	Playing   int64 // living voices, including paused ones

	Missed           int64 // commands for a tag that found no voice
	Late             int64 // commands for a frame that was already mixed
	HighWater        int64 // the maximum number of real voices at a time
	Underruns        int64 // how often a stream has run dry
	MissingMipLevels int64 // how often a voice first read a worse version of its sound: the band-limited one was not ready
	Faults           int64 // master frames with NaN or Inf that became silence, and voices and inserts that were removed
	Broken           int64 // streams that could not be decoded to their end
	EventsLost       int64 // events that were not read in time, counted from the first Events or NewEventReader on; see also EventReader.Lost
	Busy             int64 // calls that failed with ErrBusy, or found no room and were deferred
	Pending          int64 // commands under way
	Voices           int64 // the number of slots, which Resize and GrowPool change

	// SilentFrom is the frame from which the master is silent, valid while Playing is 0. It is the end of
	// the last voice and its tail, in frames of the mix; add LatencyFrames for the output of Render. While
	// Config.DCGuard still has a tail, SilentFrom is later than Frame.
	SilentFrom int64

	// RingsUntil is an upper bound of the frame at which the tails of effects are below -90 dBFS. While
	// Render mixes a louder tail, it also advances SilentFrom. Skip mixes no tails, so it advances
	// SilentFrom to this bound instead.
	RingsUntil int64
}

const numStats = 22

// fields returns pointers to the counters of s that the audio side publishes, in the order of publication. Frame is
// the first. Busy and Pending are not among them.
func (s *Stats) fields() [numStats]*int64 {
	return [...]*int64{
		&s.Frame, &s.Asked, &s.Started, &s.Rejected, &s.Limited, &s.Coalesced, &s.Ended, &s.Stopped, &s.Stolen, &s.Virtual, &s.Playing,
		&s.Missed, &s.Late, &s.HighWater, &s.Underruns, &s.Faults, &s.EventsLost, &s.Voices, &s.SilentFrom, &s.MissingMipLevels, &s.Broken, &s.RingsUntil,
	}
}

// publishStats makes the present counters in a.stats visible to Mixer.Stats and Mixer.Now on other goroutines. Audio
// side.
func (a *audio) publishStats() {
	var words [numStats]uint64
	for i, f := range a.stats.fields() {
		words[i] = uint64(*f)
	}
	a.published.Write(words[:])
}

// Stats returns a consistent snapshot of the counters as of the end of the last block. Busy and Pending are as of the
// call. Stats retries until it reads a complete snapshot, and never locks. Control side; it does not allocate.
func (m *Mixer) Stats() Stats {
	var words [numStats]uint64
	for !m.published.Read(words[:]) {
	}
	s := Stats{Busy: m.busyCalls.Load(), Pending: m.inFlight.Len()}
	for i, f := range s.fields() {
		*f = int64(words[i])
	}
	return s
}
