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
package main
