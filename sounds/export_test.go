package sounds

// Confine exports confine, which ServeDecode applies to its process.
var Confine = confine
