package room

import (
	"time"

	"voicepool/sounds"
)

// Options say what a room is made from.
type Options struct {
	Name   string
	Title  string // of its sheet in messages, such as show.yaml; empty: the name
	Text   []byte // the sheet or the bank
	Folder string // where its sounds lie, and nowhere else; empty: it has those of the program alone
	Free   bool   // its sheet may name any file: it was named by whoever started the program

	// Uploads is the folder in which AddSound stores the sounds of a Free room. Its sheet may name them without a
	// folder; a file of that name in Folder comes first. AddSound makes the folder. A room that is not Free stores
	// its sounds in Folder.
	Uploads string

	// Device is as --device has it; empty or "none": it has no card, is paced by the clock, and heard
	// over the network. Buffer and Block are of a card; 0: as the driver has it.
	Device string
	Buffer time.Duration
	Block  int

	// Keep stores the room after a change of its sheet or its sounds. An error takes the change back, and is the
	// error of the change. It is called while no other change runs; nil: nothing is stored.
	Keep func(*Room) error

	Voices  int        // of the pool; 0: as the sheet says
	Most    func() int // how many voices a sheet may ask for, virtual ones included; any goroutine; nil: as many as there may be
	Limits  sounds.Limits
	Permit  *Permit      // it is heard while that holds, from Enter on; nil: always
	Workers *Workers     // mix the rooms without a card; nil: some of its own
	Resume  *Snapshot    // it goes on from there; nil: it begins
	Say     func(string) // told what people should know, a line each; any goroutine; nil: nobody
}
