package cue

// kind is what a node of a sheet is.
type kind uint8

const (
	nothing kind = iota // a value that is not there, or null
	scalar
	list
	mapping
)

func (k kind) String() string {
	return [...]string{"nothing", "a value", "a list", "a mapping"}[k]
}

// place is where something stands in a sheet: both from 1, columns in
// characters.
type place struct{ line, column int }

// node is a piece of a sheet.
type node struct {
	place
	kind   kind
	quoted bool // a scalar in quotes, or of several lines: a text whatever it looks like
	text   string
	items  []*node // of a list
	pairs  []pair  // of a mapping, in the order of the file
}

// pair is a key of a mapping with its value.
type pair struct {
	place
	key   string
	value *node
}
