package streamable

import (
	"io"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
)

// Ready reports whether the handler accepts new requests: it becomes false when Shutdown is called.
func (h *Handler) Ready() bool { return !h.draining.Load() }

// Stats returns what the handler does now.
func (h *Handler) Stats() runtime.Stats {
	s := runtime.Stats{
		Requests: int(h.posts.Load()),
		Sessions: h.sessions.Len(),
		Draining: h.draining.Load(),
		Refused:  h.refusals.ByReason(),
	}
	if of, ok := h.server.(interface{ Subscriptions() int }); ok {
		s.Subscriptions = of.Subscriptions()
	}
	return s
}

// MountProbes lets a mux answer the probes of an orchestrator or a load balancer: GET /healthz has status
// 200 as long as the process serves HTTP, and GET /readyz has status 503 as soon as one of the handlers is
// being shut down. Neither needs authorization or reveals anything else. [ListenAndServe] calls it.
func MountProbes(mux *http.ServeMux, handlers ...SessionHandler) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answerProbe(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range handlers {
			if !h.Ready() {
				answerProbe(w, http.StatusServiceUnavailable, "shutting down")
				return
			}
		}
		answerProbe(w, http.StatusOK, "ready")
	})
}

func answerProbe(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
