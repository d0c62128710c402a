package bank

import "voicepool/mixer"

// Handle names one play of a bank. It is a small comparable value, and has the methods of
// mixer.Handle. The zero Handle names nothing.
type Handle struct{ mixer.Handle }
