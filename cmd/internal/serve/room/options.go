package room

import (
	"time"

	"voicepool/sounds/library"
)

// Options configures a room.
type Options struct {
	Name    string
	Title   string // name of its sheet in messages, such as show.yaml; default Name
	Text    []byte // sheet or bank
	Folder  string // the only folder for its sounds; empty: only embedded sounds
	AnyFile bool   // the sheet may use any file, because the operator chose it

	// Uploads is the folder where AddSound stores the sounds of a room with AnyFile. AddSound creates it. The sheet
	// may name these sounds without a folder; a file of the same name beside the sheet has precedence. A room without
	// AnyFile stores its uploaded sounds in Folder.
	Uploads string

	// Device is like --device. Empty or "none" means no device: the room is paced by the clock and streamed
	// over the network. Buffer and Block configure the device; 0: the driver's default.
	Device string
	Buffer time.Duration
	Block  int

	// Save stores the room after a change of its sheet or sounds. If Save fails, the room reverts the change and
	// returns the error. Calls of Save do not overlap. It may be nil.
	Save func(*Room) error

	Voices     int        // size of the pool; 0: the sheet's
	VoiceLimit func() int // returns the limit on voices of a sheet, including virtual voices; any goroutine; nil: no limit
	Limits     library.Limits
	Lease      *Lease       // after FadeIn, the room is audible while the lease holds; nil: always
	Workers    *Workers     // mix rooms without a device; nil: the room has its own
	Resume     *Snapshot    // state to resume; nil: start from the beginning
	Log        func(string) // called with lines for the operator; any goroutine; may be nil
}
