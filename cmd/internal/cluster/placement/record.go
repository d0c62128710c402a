package placement

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"voicepool/internal/words"
)

// The keys of a bucket begin with what they are.
const (
	nodes  = "node."
	rooms  = "room."
	states = "state."
	drains = "drain." // asks a node to give its rooms away; the value is its life
)

// Stand is what a node does.
type Stand uint8

const (
	Up       Stand = iota // it takes rooms, and plays them
	Draining              // it gives its rooms away
	Gone                  // it plays nothing any more, and never will in this life
)

var stands = []string{"up", "draining", "gone"}

// String returns the stand as records have it.
func (s Stand) String() string { return words.Name("Stand", s, stands) }

// MarshalText is String.
func (s Stand) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a stand. What a newer program writes counts as up: it is left alone.
func (s *Stand) UnmarshalText(text []byte) error {
	*s = Up
	for i, name := range stands {
		if name == string(text) {
			*s = Stand(i)
		}
	}
	return nil
}

// NodeRecord is a node, as JSON in the bucket.
type NodeRecord struct {
	Node    string `json:"node"`
	Life    string `json:"life"`    // tells it from others of this name, before and after
	Address string `json:"address"` // of its HTTP
	Stand   Stand  `json:"stand"`
	Most    int    `json:"most"` // rooms that it takes
	Beat    int64  `json:"beat"` // renewals
}

// RoomRecord is a room, as JSON in the bucket.
type RoomRecord struct {
	Room    string            `json:"room"`
	Sheet   string            `json:"sheet"` // the bundle of its sheet and sounds
	File    string            `json:"file,omitempty"`
	Node    string            `json:"node"` // that plays it; empty: nobody
	Life    string            `json:"life"`
	Epoch   int64             `json:"epoch"` // times that it was taken
	Since   time.Time         `json:"since"`
	Next    string            `json:"next,omitempty"`    // the life of the node that is to play it
	State   uint64            `json:"state,omitempty"`   // revision of its state, from which that is to open it
	Ready   bool              `json:"ready,omitempty"`   // that has
	From    string            `json:"from,omitempty"`    // the life that it was handed over by, which fades it out
	Refused map[string]string `json:"refused,omitempty"` // why lives cannot play it
}

// why returns why one of the nodes that cannot play the room cannot; empty: all may.
func (r *RoomRecord) why() (why string) {
	for _, life := range slices.Sorted(maps.Keys(r.Refused)) {
		why = r.Refused[life]
	}
	return why
}

// stateRecord is how a room stood, as JSON in the bucket.
type stateRecord struct {
	Epoch int64           `json:"epoch"`
	Skew  time.Duration   `json:"skew"` // how much the clock of NATS is ahead of the writer's
	State json.RawMessage `json:"state"`
}

// encode returns a record as it lies in the bucket.
func encode(record any) []byte {
	text, err := json.Marshal(record)
	if err != nil {
		panic(err) // the types above have no such values
	}
	return text
}

// decode reads a record; false: it is none.
func decode[T any](text []byte) (record T, ok bool) {
	err := json.Unmarshal(text, &record)
	return record, err == nil
}

// named returns the name in a key that begins with a kind.
func named(key, kind string) (name string, ok bool) { return strings.CutPrefix(key, kind) }
