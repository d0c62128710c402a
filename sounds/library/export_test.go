package library

// LimitProcess exports limitProcess, which ServeDecode applies to its process.
var LimitProcess = limitProcess
