package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// The floor moves the bytes that a library must move and does nothing else.

// hops starts a goroutine that answers texts over two channels.
func hops(answer string) *Work {
	requests, answers := make(chan string), make(chan string)
	go func() {
		for range requests {
			answers <- strings.Clone(answer)
		}
	}()
	return &Work{
		Do: func(n int) error {
			for range n {
				requests <- strings.Clone(callText)
				if got := <-answers; len(got) != len(answer) {
					return fmt.Errorf("an answer of %d bytes", len(got))
				}
			}
			return nil
		},
		Close: func() { close(requests) },
	}
}

// echo answers HTTP requests with the bytes of the call's answer. A streamed answer has a
// notification before it.
func echo(stream bool) http.Handler {
	if !stream {
		return reply([]byte(answerText))
	}
	const (
		first  = "event: message\ndata: " + progressText + "\n\n"
		second = "event: message\ndata: " + answerText + "\n\n"
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, first)
		w.(http.Flusher).Flush()
		io.WriteString(w, second)
	})
}

// reply answers HTTP requests with a text.
func reply(text []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	})
}
