package midi

// splitter extracts messages from raw MIDI. It handles running status and real-time messages inside
// other messages. (MIDI 1.0 Detailed Specification 4.2.1, pages 4 to 7 and A-1.)
type splitter struct {
	message []byte // the current message: status and data so far
	running bool   // its status is a running status
	long    bool   // it is a system exclusive message longer than the limit
}

// maxSysEx is the maximum length of a system exclusive message in bytes. MIDI Show Control has up to
// 128.
const maxSysEx = 256

// next adds the byte b of a raw MIDI stream to the current message. If b completes the message, next returns the
// message with its status byte, otherwise nil. The result is valid until the next call.
//
// A real-time byte (F8 to FF) is a message of its own, even inside another message. Data bytes without a status are
// dropped. A system exclusive message is dropped if it has more than 256 bytes before its end byte F7. A status byte
// drops an unfinished message.
func (s *splitter) next(b byte) []byte {
	switch {
	case b >= 0xF8: // real-time messages may occur anywhere
		return []byte{b}
	case b == 0xF7:
		whole := len(s.message) > 0 && s.message[0] == 0xF0 && !s.long
		done := append(s.message, b)
		s.message, s.running, s.long = s.message[:0], false, false
		if whole {
			return done
		}
		return nil
	case b >= 0x80:
		s.message, s.running, s.long = append(s.message[:0], b), false, false
	case len(s.message) == 0: // data without a status
		return nil
	case len(s.message) == maxSysEx:
		s.long = true
		return nil
	default:
		if s.running {
			s.message, s.running = s.message[:1], false
		}
		s.message = append(s.message, b)
	}
	if n := dataOf(s.message[0]); n < 0 || len(s.message) <= n {
		return nil
	}
	done := s.message
	if s.message[0] < 0xF0 {
		s.running = true
	} else {
		s.message = s.message[:0]
	}
	return done
}

// dataOf returns the number of data bytes, 0 to 2, that follow the given MIDI status byte. status must be at least
// 0x80. For the start of a system exclusive message (F0), whose length varies, the result is -1.
func dataOf(status byte) int {
	switch {
	case status == 0xF0:
		return -1
	case status == 0xF1 || status == 0xF3 || status&0xF0 == 0xC0 || status&0xF0 == 0xD0:
		return 1
	case status == 0xF2 || status < 0xF0:
		return 2
	}
	return 0 // F4, F5, F6
}
