package model

// fault is a deliberate violation of the protocol.
type fault uint8

const (
	sound fault = iota // no fault
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
	resetDirtyLast
	commandBeforeWish
	freshAfterCommand
	afterNotMarked
	afterWithoutOrder
	tornIsLost
	wishNotForeseen
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

// faults describes each fault and the scope that reveals it.
var faults = [numFaults]struct {
	name     string
	commands int
	calls    []kind
}{
	wordsBeforeRing: {name: "words are read before the ring", commands: 1, calls: []kind{play, stopAll}},
	wordsBeforeStarts: {
		name: "words are read before what was received has begun", commands: 1, calls: []kind{play, stopAll},
	},
	releaseAtStop: {
		name: "a Stop gives the record back before the audio side has", commands: 2, calls: []kind{play, stop},
	},
	controlWithoutGeneration: {
		name:     "the control side takes a handle for the record's present one",
		commands: 1, calls: []kind{play, stop},
	},
	audioWithoutGeneration: {
		name:     "the audio side takes a handle for the record's present one",
		commands: 2, calls: []kind{play, stopLater, fade},
	},
	cancelWithoutGeneration: {
		name: "a stop that came before its start holds for the record", commands: 1,
		calls: []kind{play, playLater, stop},
	},
	stopWordWithoutGeneration: {
		name: "a stop word does not say whose it is", commands: 1, calls: []kind{play, playLater, stop},
	},
	countedWhenReceived: {
		name: "a command is counted as done when it is received", commands: 1, calls: []kind{play, playLater},
	},
	flagBeforeStop: {
		name: "that there is a stop word is said before it is there", commands: 1, calls: []kind{play, stop},
	},
	stopLostWhenFull: {name: "a Stop that finds the ring full is dropped", commands: 1, calls: []kind{play, stop}},
	wantLostWhenFull: {
		name: "a SetGain that finds the ring full is not announced", commands: 1, calls: []kind{play, set},
	},
	coalesceWithoutDirty: {
		name: "a SetGain sends no command though the last one is done", commands: 2, calls: []kind{play, set},
	},
	coalesceWithoutOrder: {
		name: "a SetGain sends no command though a Fade came between", commands: 2, calls: []kind{play, set, fade},
	},
	wantReadBeforeCleared: {name: "a want is read before its mark is cleared", commands: 2, calls: []kind{play, set}},
	foreseenAsWant: {
		name:     "a Fade of a start that has not come is noted as a SetGain",
		commands: 3, calls: []kind{playLater, set, fade},
	},
	resetKeepsDirty: {
		name: "the next start in a record finds the wants of the last", commands: 1,
		calls: []kind{play, playLater, set},
	},
	resetDirtyLast: {
		name:     "a record's wishes are forgotten after it has its next handle",
		commands: 2, calls: []kind{play, playLater, set},
	},
	commandBeforeWish: {
		name:     "a SetGain is a command though the last one acts after the ring",
		commands: 2, calls: []kind{play, set},
	},
	freshAfterCommand: {
		name:     "a SetGain takes the place of a wish that a command has followed",
		commands: 6, calls: []kind{play, set, fade},
	},
	afterNotMarked: {
		name:     "a wish for after the ring is not marked, and its command clears it",
		commands: 2, calls: []kind{play, set, fade},
	},
	afterWithoutOrder: {
		name:     "a wish for after the ring comes before a command that has not arrived",
		commands: 2, calls: []kind{play, set},
	},
	tornIsLost: {name: "a wish that is being written is not read again", commands: 2, calls: []kind{play, set}},
	wishNotForeseen: {
		name: "a wish of a start that has not come is dropped", commands: 1, calls: []kind{playLater, set},
	},
	stopAllWithoutOrder: {
		name: "the word of StopAll stops all that is there", commands: 1, calls: []kind{play, stopAll},
	},
	stopAllCleared: {
		name:     "the word of StopAll is cleared though a newer one has come",
		commands: 1, calls: []kind{play, stopAll},
	},
	stopAllWaits: {
		name:     "the word of StopAll waits for what was sent after the block began",
		commands: 2, calls: []kind{play, stopAll},
	},
	stopAllGivesUp: {
		name: "the word of StopAll gives up when a newer one has come", commands: 1, calls: []kind{play, stopAll},
	},
	givenBackBeforeState: {
		name: "a record is given back before its state is stored", commands: 1, calls: []kind{play, stop},
	},
	givenBackWithSound: {
		name: "a record is given back before its sound is let go", commands: 1, calls: []kind{play, stop},
	},
	neverGivenBack: {name: "a record is not given back", commands: 1, calls: []kind{play}},
	cancelledIsKept: {
		name: "the record of a cancelled start is not given back", commands: 1, calls: []kind{play, playLater, stop},
	},
	slotKept: {name: "a slot is kept", commands: 1, calls: []kind{play, stop}},
}
