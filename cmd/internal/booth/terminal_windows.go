package booth

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func single(*os.File) (func(), error) { return nil, errors.ErrUnsupported }

// Forget has nobody get what was typed on the console of this process before now.
func Forget() {
	if console, err := windows.GetStdHandle(windows.STD_INPUT_HANDLE); err == nil {
		_ = windows.FlushConsoleInputBuffer(console) // it may be none
	}
}
