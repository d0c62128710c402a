// Package yaml reads YAML into a tree whose every key and value has its line and
// column, for messages. It does not know what the text is about.
//
// It reads a part of YAML 1.2 that includes JSON: lists and mappings in block and flow
// style, plain and quoted values that fit a line, comments, anchors and aliases, one
// document. It refuses, by name, tags, directives, text in block style, and keys that
// are no simple values. Numbers are not interpreted: a value is its text.
//
// go.yaml.in/yaml/v4 parses the text. This package adds bounds on what a text may cost,
// and messages in one voice.
package yaml

import (
	"fmt"
	"strconv"
)

// Kind is what a node is.
type Kind uint8

const (
	Nothing Kind = iota // a value that is not there, or null
	Scalar              // a text
	List
	Mapping
)

// String returns the kind as messages call it: "a list".
func (k Kind) String() string {
	return [...]string{"nothing", "a value", "a list", "a mapping"}[k]
}

// Place is where something stands in a text.
type Place struct {
	Line   int // from 1; 0: the text as a whole
	Column int // in characters, from 1
}

// Node is a value. One that aliases name is shared by all of them.
type Node struct {
	Place
	Kind   Kind
	Quoted bool    // of a Scalar: it stands in quotes, so it is a text whatever it looks like
	Text   string  // of a Scalar; null has the word that it was written with
	Items  []*Node // of a List
	Pairs  []Pair  // of a Mapping, in the order of the text; a key may stand there twice
}

// Pair is a key of a mapping with its value.
type Pair struct {
	Place
	Key   string
	Value *Node
}

// Error is what is wrong with a text, and where.
type Error struct {
	Place
	Msg string // what is wrong and what would be right, in one line
}

// Error returns "12:7: " and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
}

func (p Place) wrong(format string, args ...any) *Error {
	return &Error{p, fmt.Sprintf(format, args...)}
}

// Quote quotes what a text says, cut to 60 characters, for a message of one line.
func Quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}
