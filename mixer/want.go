package mixer

import "voicepool/pcm"

// wanted is the command that does what a want does.
func wanted(h Handle, field wants, value float64) command {
	c := command{kind: cmdSet, frame: Now, target: TargetVoice(h)}
	switch field {
	case wantGain:
		c.change = Change{Fields: FieldGain, Gain: pcm.Decibels(value)}
	case wantPan:
		c.change = Change{Fields: FieldPan, Pan: value}
	case wantPitch:
		c.change = Change{Fields: FieldPitch, Pitch: pcm.Semitones(value)}
	case wantSpeed:
		c.change = Change{Fields: FieldSpeed, Speed: value}
	case wantPriority:
		c.change = Change{Fields: FieldPriority, Priority: int(value)}
	case wantProtect:
		c.change = Change{Fields: FieldProtect, Protect: value != 0}
	case wantRounds:
		c.change = Change{Fields: FieldRounds, Rounds: int(value)}
	case wantSeek:
		c.kind, c.over = cmdSeek, int64(value)
	case wantPause:
		c.kind = cmdResume
		if value != 0 {
			c.kind = cmdPause
		}
	}
	return c
}
