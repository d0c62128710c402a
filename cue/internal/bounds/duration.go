package bounds

import (
	"math"

	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/loading"
)

// Never is the frame of an end that does not come or is unknown.
const Never = 1<<63 - 1

const (
	// minPitch is the lowest pitch of a voice, in semitones.
	minPitch = -96

	// maxTail is an upper bound for the tail of a voice plus the limiter's delay, in seconds.
	maxTail = 1

	// maxDCFade is an upper bound, in seconds, for the additional time of the DC guard. It measures whole
	// seconds, at most two of them, and then fades out in half a second.
	maxDCFade = 3
)

// UpperBound returns an upper bound for the end of a render, in frames. It returns Never if the end is unknown or set
// elsewhere. This is so if the sheet has a length or panics, waits for ends, does not end, or plays a stream of unknown
// length. loaded has the sounds in the order of s.Sounds.
//
// After the last cue no voice is started, paused, moved to another position or kept in a loop. Each voice that plays
// then has at most its whole sound left, at the slowest pitch of the sheet, plus the loop rounds of the sheet.
func UpperBound(s *runsheet.Sheet, loaded []loading.Sound) int64 {
	if s.Length != nil || len(s.Panics) > 0 || len(s.List) > 0 && len(s.Goes) == 0 || s.HasFollowOns() || checkVoices(s) != nil {
		return Never
	}
	last, remaining, pitches := 0.0, 0.0, PitchesOf(s)
	for i, by := range s.Active() {
		m := s.LastInstant(i).Frame
		last = max(last, float64(m+by.Over().Frames(s.Rate)))
		for _, c := range by.Starts() {
			last = max(last, float64(m+c.Delay.Frames(s.Rate)))
			remaining = max(remaining, maxDuration(s, loaded, pitches, c, by))
		}
	}
	if remaining == Never {
		return Never
	}
	end := last + remaining + float64(maxTail*s.Rate) + float64(EffectTail(s))
	if s.Master.DCGuard {
		end += float64(maxDCFade * s.Rate)
	}
	if end >= Never/2 {
		return Never
	}
	return int64(end)
}

// maxDuration returns an upper bound for the duration of the start c, in frames. If c has the key `for`, it is that
// time. Otherwise it is Never if c plays a stream of unknown length without a loop. A delay of the layer is not
// included. by is c itself, or the cue that has c as a layer.
func maxDuration(s *runsheet.Sheet, loaded []loading.Sound, pitches *Pitches, c, by *runsheet.Cue) float64 {
	p := c.Play
	if p.For != nil {
		return float64(p.For.Frames(s.Rate))
	}
	frames := 0.0
	for _, sound := range loaded[c.Sound].Files(p.Loop) {
		if sound.Frames() == 0 && sound.Streamed() && !p.Loop {
			return Never
		}
		rounds := p.Rounds
		if sets := pitches.sets[c.Tag]; sets != nil {
			rounds = max(rounds, sets.rounds)
		}
		frames = max(frames, float64(sound.Frames())+float64(float64(rounds+1)*float64(sound.Loop().Frames())))
	}
	return frames * pitches.slowing(s, c, by)
}

// slowing returns how much longer the lowest pitch of the start c can make it, as a factor. by is c itself, or the cue
// that has c as a layer.
func (p *Pitches) slowing(s *runsheet.Sheet, c, by *runsheet.Cue) float64 {
	return math.Exp2(-max(p.rangeOf(s, c, by).low, minPitch) / 12)
}

// LaunchDuration returns the duration in frames of one launch, a run of a list cue. The duration counts from the
// beginning of the launch to the end of its last start, if later commands do not change it. loaded has the sounds in
// the order of s.Sounds, and pitches is the result of PitchesOf for s. If the duration is endless, or depends on the
// end of an id, the result is Never. Without starts it is 0. Delays of layers are not counted.
func LaunchDuration(s *runsheet.Sheet, loaded []loading.Sound, pitches *Pitches, l *runsheet.Launch) float64 {
	most := 0.0
	for i := l.First; i < l.First+l.Count; i++ {
		by := &s.Cues[i]
		for _, c := range by.Starts() {
			if by.AwaitedTag != 0 {
				return Never
			}
			duration := startDuration(s, loaded, pitches, c, by)
			if duration == Never {
				return Never
			}
			from := by.LastFrame(s.Rate) - by.Base.Frames(s.Rate) - l.Offset.Frames(s.Rate)
			most = max(most, float64(from)+duration)
		}
	}
	return most
}

// startDuration returns the duration in output frames of the start c, if later commands do not change it. It assumes
// the longest file and the lowest pitch of the sound, and applies the limit of the key `for`. by is c itself, or the
// cue that has c as a layer. The delay of a layer is not included. If the duration is endless or unknown, the result is
// the limit `for`, or Never without that limit.
func startDuration(s *runsheet.Sheet, loaded []loading.Sound, pitches *Pitches, c, by *runsheet.Cue) float64 {
	cut, most, p := float64(Never), int64(0), c.Play
	if p.For != nil {
		cut = float64(p.For.Frames(s.Rate))
	}
	if p.Loop && p.Rounds == 0 {
		return cut
	}
	for _, sound := range loaded[c.Sound].Files(p.Loop) {
		if sound.Frames() == 0 && sound.Streamed() {
			return cut
		}
		frames := sound.Frames() - p.From.Frames(s.Rate)
		if p.Loop {
			frames += int64(p.Rounds-1) * sound.Loop().Frames()
		}
		most = max(most, frames)
	}
	return min(cut, float64(most)*pitches.slowing(s, c, by))
}

// EstimatedEnd returns an estimate of the end of a show without a length, in frames, for a progress display. If the
// sheet repeats, it is 0. Otherwise it is the latest end of all sounds that cues start. A sound ends after the time of
// the key `for`. Without this key it ends after its longest file at normal speed. All loops, even with a number of
// rounds, end with the last action of the sheet. Stops, pauses, pitches, delays of layers and list cues without a GO
// are ignored. Without starts the result is 0. loaded has the sounds in the order of s.Sounds.
func EstimatedEnd(s *runsheet.Sheet, loaded []loading.Sound) (end int64) {
	if !s.Repeat.IsZero() {
		return 0
	}
	lastAction, loops := int64(0), false
	for _, by := range s.Active() {
		last := by.LastFrame(s.Rate)
		lastAction = max(lastAction, last)
		for _, c := range by.Starts() {
			switch p := c.Play; {
			case p.For != nil:
				end = max(end, last+p.For.Frames(s.Rate))
			case p.Loop:
				loops = true
			default:
				for _, sound := range loaded[c.Sound].Once {
					end = max(end, last+max(sound.Frames()-p.From.Frames(s.Rate), 0))
				}
			}
		}
	}
	if loops { // a later cue stops them
		end = max(end, lastAction)
	}
	return end
}
