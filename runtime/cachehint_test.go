package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// lister is a handler of the revision without sessions that says nothing of how long its results may be
// kept, but for those of prompts. All its results are shared.
type lister struct {
	mcp20260728.UnimplementedServer
	tools   *mcp20260728.ListToolsResult
	prompts *mcp20260728.ListPromptsResult
	read    *mcp20260728.ReadResourceResult
}

func (l lister) ListTools(context.Context, *mcp20260728.PaginatedRequestParams) (*mcp20260728.ListToolsResult, error) {
	return l.tools, nil
}

func (l lister) ListPrompts(context.Context, *mcp20260728.PaginatedRequestParams) (*mcp20260728.ListPromptsResult, error) {
	return l.prompts, nil
}

func (l lister) ReadResource(context.Context, *mcp20260728.ReadResourceRequestParams) (mcp20260728.ReadResourceResponse, error) {
	return l.read, nil
}

// TestUnsetCacheHints checks that results without ttlMs and cacheScope get those of the options, and are
// not changed themselves.
//
// F1
func TestUnsetCacheHints(t *testing.T) {
	handler := lister{
		tools:   &mcp20260728.ListToolsResult{},
		prompts: &mcp20260728.ListPromptsResult{CacheScope: mcp20260728.CacheScopePublic},
		read:    &mcp20260728.ReadResourceResult{TTLMs: 7},
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "probe", Version: "0.1", Capabilities: everyCapability,
		Cache: runtime.CacheHints{CacheHint: runtime.CacheHint{TTL: time.Second}, Methods: map[string]runtime.CacheHint{
			"tools/list": {TTL: time.Minute, Public: true},
		}},
	}, compat.Serve(mcp20260728.BindServer(handler), compat.Options{})...)
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp20260728.BindClient(mcp20260728.UnimplementedClient{}))
	session, end := connect(t, server, client)
	for _, c := range []struct{ method, params, ttl, scope string }{
		{"tools/list", `{}`, "60000", `"public"`},
		{"prompts/list", `{}`, "0", `"public"`},
		{"resources/read", `{"uri":"x:1"}`, "7", `"private"`},
	} {
		var got wire.Object
		if err := session.Call(t.Context(), c.method, wire.Raw(c.params), &got); err != nil {
			t.Errorf("%s: %v", c.method, err)
			continue
		}
		ttl, _ := got.Get("ttlMs")
		scope, _ := got.Get("cacheScope")
		if string(ttl) != c.ttl || string(scope) != c.scope {
			t.Errorf("%s: got %s, want ttlMs %s and cacheScope %s", c.method, got, c.ttl, c.scope)
		}
	}
	end()
	if handler.tools.CacheScope != "" || handler.read.CacheScope != "" {
		t.Error("a result of the handler was changed")
	}

	// A session of an older revision has no such members.
	client = runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp20251125.BindClient(mcp20251125.UnimplementedClient{}))
	session, end = connect(t, server, client)
	defer end()
	var got wire.Object
	if err := session.Call(t.Context(), "tools/list", nil, &got); err != nil || string(got) != `{"tools":[]}` {
		t.Errorf("in a session: %s, %v", got, err)
	}
}
