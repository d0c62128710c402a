package sounds

// Confine is what ServeDecode does to its process.
var Confine = confine
