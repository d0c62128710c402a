package words

import (
	"errors"
	"io/fs"
	"strings"
)

// Cause returns what the system said of a file, without the operation and the name:
// the message has named the file already.
func Cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// packages are the prefixes of errors that tell a user of the command nothing.
var packages = [...]string{"cue: ", "sounds: ", "wav: ", "oto: ", "mixer: ", "voice: ", "watch: "}

// Plain returns the message of an error as one line, without the name of the package
// that it comes from.
func Plain(err error) string {
	line := OneLine(err.Error())
	for _, name := range packages {
		line = strings.TrimPrefix(line, name)
	}
	return line
}
