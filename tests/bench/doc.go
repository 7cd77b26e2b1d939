// Command bench measures mcpgen beside two other libraries and beside the floor, which
// moves the same bytes and does nothing else. All do the same work in turn, in several
// rounds, and what is measured is checked: an answer that is not right ends the program.
//
//	go run -C tests/bench .                     # the table of all rows
//	go run -C tests/bench . -run '^stdio|^http' # of some
//	go run -C tests/bench . -quick              # with less time for each
//	go run -C tests/bench . -run inprocess/call -subject mcpgen -cpuprofile cpu.pprof
//
// A Row is a piece of work, a Subject is one who does it, and a Target is what is demanded
// of mcpgen there. The files rows_*.go list the rows; floor.go, mcpgen.go, mcpgo.go and
// gosdk.go say how each library is used.
//
// # Targets that are missed
//
// results.txt tells which. What stands in their way, by the profiles:
//
//   - Decoding at twice the scan: half of the time is that of making the value, its memory and
//     the collection of it; from bytes, which the caller may change, the text is copied first, and
//     for 1 MB that alone takes as long as the scan. A list of tools has maps for the properties
//     of the schemas, which are three of four allocations. The scan is what strict reading needs (names that
//     stand twice, UTF-8, depth) and got faster together with the rest.
//   - A call in process in 4 µs: 5.2 on one processor, where the profile is flat: 37 % reading
//     and writing JSON (the arguments and the result are checked by their schemas at both ends),
//     16 % memory, 12 % locks and goroutines. On two processors waking another goroutine takes 1 to
//     4 µs more. The handler has a goroutine of its own so that a call ends at its deadline
//     whatever the handler does.
//   - Stdio at 1.25 times an echo between processes: where the echo takes 10 µs, the client and the
//     server use 4 each beside their system calls, which are as many as those of the echo.
//   - Streamable HTTP with the own client at 1.35 times net/http, and twice as fast as mcp-go: of the
//     20 to 30 µs beside 60 of net/http, the server and the client take 10 to 12, which is three
//     times what they take in process, because net/http in between has the caches. The rest is memory, and two
//     goroutine switches: a request has a goroutine of its own, since ending one within net/http
//     harms others on its connections.
//   - Eight times faster than go-sdk over HTTP: net/http alone takes a seventh to a tenth of its time.
//   - Building a server of 200 tools in 3 s: the compiler has 26 functions for each tool, of which
//     those that read and write JSON are nine tenths of the code. A server whose handlers are in another
//     package than the generated code compiles that only when the tools change.
package main
