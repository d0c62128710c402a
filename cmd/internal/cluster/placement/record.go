package placement

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"voicepool/internal/words"
)

// Prefixes of keys in a bucket.
const (
	nodes  = "node."
	rooms  = "room."
	states = "state."
	drains = "drain." // request to a node to give its rooms away; the value is its life
)

// NodeState is the state of a node.
type NodeState uint8

const (
	Up       NodeState = iota // it takes and plays rooms
	Draining                  // it gives its rooms away
	Gone                      // it has stopped playing permanently in this life
)

var stateNames = []string{"up", "draining", "gone"}

// String returns the name of s in records: up, draining or gone. For an unknown state it returns a text such as
// "Stand(3)".
func (s NodeState) String() string { return words.Name("Stand", s, stateNames) }

// MarshalText returns String as bytes. The error is always nil.
func (s NodeState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the state with the name text. An unknown name, as from a newer program, gives Up, so that
// other nodes leave that node alone. The error is always nil.
func (s *NodeState) UnmarshalText(text []byte) error {
	*s = Up
	for i, name := range stateNames {
		if name == string(text) {
			*s = NodeState(i)
		}
	}
	return nil
}

// NodeRecord is the JSON record of a node in the bucket.
type NodeRecord struct {
	Node     string    `json:"node"`
	Life     string    `json:"life"`    // distinguishes successive processes of the same name
	Address  string    `json:"address"` // of its HTTP server
	State    NodeState `json:"stand"`
	MaxRooms int       `json:"most"` // largest number of rooms
	Beat     int64     `json:"beat"` // number of renewals
}

// RoomRecord is the JSON record of a room in the bucket.
type RoomRecord struct {
	Room    string            `json:"room"`
	Sheet   string            `json:"sheet"` // bundle of its sheet and sounds
	File    string            `json:"file,omitempty"`
	Node    string            `json:"node"` // its owner; empty: no owner
	Life    string            `json:"life"`
	Epoch   int64             `json:"epoch"` // number of times it was taken
	Since   time.Time         `json:"since"`
	Next    string            `json:"next,omitempty"`    // the life that will take it over
	State   uint64            `json:"state,omitempty"`   // revision of the state to open it from
	Ready   bool              `json:"ready,omitempty"`   // Next has opened it
	From    string            `json:"from,omitempty"`    // the life that handed it over and fades it out
	Refused map[string]string `json:"refused,omitempty"` // by life: why it cannot play the room
}

// why returns the reason why a node has refused to play the room. If several nodes have refused, the result is always
// the same reason among theirs. Without a refusal the result is "".
func (r *RoomRecord) why() (why string) {
	for _, life := range slices.Sorted(maps.Keys(r.Refused)) {
		why = r.Refused[life]
	}
	return why
}

// stateRecord is the JSON record of a room's state in the bucket.
type stateRecord struct {
	Epoch int64           `json:"epoch"`
	Skew  time.Duration   `json:"skew"` // the clock of NATS minus the writer's
	State json.RawMessage `json:"state"`
}

// encode returns record, such as a RoomRecord, as JSON. It panics if that is impossible, which would be a fault of the
// program.
func encode(record any) []byte {
	text, err := json.Marshal(record)
	if err != nil {
		panic(err) // the record types contain no such values
	}
	return text
}

// decode parses text, the JSON of a record of type T. If text is invalid, ok is false, and record must not be used.
func decode[T any](text []byte) (record T, ok bool) {
	err := json.Unmarshal(text, &record)
	return record, err == nil
}

// cutPrefix returns the part of key after the prefix kind, which is nodes, rooms, states or drains. If key does not
// begin with kind, it returns key and false.
func cutPrefix(key, kind string) (name string, ok bool) { return strings.CutPrefix(key, kind) }
