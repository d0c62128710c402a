//go:build nooto

package auto

// noCard is the error of oto in a program built without it.
const noCard = "this program was built without sound (tag nooto)"
