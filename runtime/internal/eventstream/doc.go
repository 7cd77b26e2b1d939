// Package eventstream reads and writes the framing of server-sent events, according to
// section 9.2 of the HTML standard. It does not handle HTTP, reconnection or the contents
// of events.
//
// A stream is a sequence of lines, each a field of an event. An empty line ends the event.
// An event that is cut off by the end of the stream is not delivered.
//
// # Why not a library
//
// This package was measured against github.com/tmaxmax/go-sse v0.11.0 on the same machine,
// with events of an ID and 300 bytes of data. Writing an event takes 78 ns and no
// allocation here, 544 ns and 344 bytes there. Reading one takes 410 ns and 344 bytes here,
// 1131 ns and 672 bytes there. Three differences weighed more than the cost. First, its
// Read does not return the retry field, which the protocol requires a client to honour; its
// Connection does, but makes the requests itself and so cannot read the response to a POST.
// Second, at the end of a stream it returns an event whose last line is missing, so a
// message that is cut off between two lines of data would be taken for a complete one, and
// a resumed stream would continue after it. Third, an event above its limit ends the
// stream, where a session must reject that message and continue.
package eventstream
