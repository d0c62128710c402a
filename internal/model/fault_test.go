package model

// fault is something that the protocol must not do.
type fault uint8

const (
	sound fault = iota // none
	wordsBeforeRing
	wordsBeforeStarts
	releaseAtStop
	controlWithoutGeneration
	audioWithoutGeneration
	cancelWithoutGeneration
	stopWordWithoutGeneration
	countedWhenReceived
	flagBeforeStop
	stopLostWhenFull
	wantLostWhenFull
	coalesceWithoutDirty
	coalesceWithoutOrder
	wantReadBeforeCleared
	foreseenAsWant
	resetKeepsDirty
	stopAllWithoutOrder
	stopAllCleared
	stopAllWaits
	stopAllGivesUp
	givenBackBeforeState
	givenBackWithSound
	neverGivenBack
	cancelledIsKept
	slotKept
	numFaults
)

// faults says of each what it is, and in which scope it shows.
var faults = [numFaults]struct {
	name     string
	commands int
	calls    []kind
}{
	wordsBeforeRing:           {"words are read before the ring", 1, []kind{play, stopAll}},
	wordsBeforeStarts:         {"words are read before what was received has begun", 1, []kind{play, stopAll}},
	releaseAtStop:             {"a Stop gives the record back before the audio side has", 2, []kind{play, stop}},
	controlWithoutGeneration:  {"the control side takes a handle for the record's present one", 1, []kind{play, stop}},
	audioWithoutGeneration:    {"the audio side takes a handle for the record's present one", 2, []kind{play, stopLater, fade}},
	cancelWithoutGeneration:   {"a stop that came before its start holds for the record", 1, []kind{play, playLater, stop}},
	stopWordWithoutGeneration: {"a stop word does not say whose it is", 1, []kind{play, playLater, stop}},
	countedWhenReceived:       {"a command is counted as done when it is received", 1, []kind{play, playLater}},
	flagBeforeStop:            {"that there is a stop word is said before it is there", 1, []kind{play, stop}},
	stopLostWhenFull:          {"a Stop that finds the ring full is dropped", 1, []kind{play, stop}},
	wantLostWhenFull:          {"a SetGain that finds the ring full is not announced", 1, []kind{play, set}},
	coalesceWithoutDirty:      {"a SetGain sends no command though the last one is done", 1, []kind{play, set}},
	coalesceWithoutOrder:      {"a SetGain sends no command though a Fade came between", 2, []kind{play, set, fade}},
	wantReadBeforeCleared:     {"a want is read before its mark is cleared", 1, []kind{play, set}},
	foreseenAsWant:            {"a Fade of a start that has not come is noted as a SetGain", 3, []kind{playLater, set, fade}},
	resetKeepsDirty:           {"the next start in a record finds the wants of the last", 1, []kind{play, playLater, set}},
	stopAllWithoutOrder:       {"the word of StopAll stops all that is there", 1, []kind{play, stopAll}},
	stopAllCleared:            {"the word of StopAll is cleared though a newer one has come", 1, []kind{play, stopAll}},
	stopAllWaits:              {"the word of StopAll waits for what was sent after the block began", 2, []kind{play, stopAll}},
	stopAllGivesUp:            {"the word of StopAll gives up when a newer one has come", 1, []kind{play, stopAll}},
	givenBackBeforeState:      {"a record is given back before its state is stored", 1, []kind{play, stop}},
	givenBackWithSound:        {"a record is given back before its sound is let go", 1, []kind{play, stop}},
	neverGivenBack:            {"a record is not given back", 1, []kind{play}},
	cancelledIsKept:           {"the record of a cancelled start is not given back", 1, []kind{play, playLater, stop}},
	slotKept:                  {"a slot is kept", 1, []kind{play, stop}},
}
