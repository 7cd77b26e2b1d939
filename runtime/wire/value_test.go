package wire_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMarshal(t *testing.T) {
	// Texts of all sizes, so that buffers are reused and outgrown.
	var texts [][]byte
	var want []string
	for n := 1; n < 1<<18; n *= 2 {
		raw := `"` + strings.Repeat("x", n) + `"`
		text, err := wire.Marshal(wire.Raw(raw))
		if err != nil {
			t.Fatal(err)
		}
		texts, want = append(texts, text), append(want, raw)
		if _, err := wire.Marshal(wire.Raw(strings.Repeat("[", n))); err == nil {
			t.Fatal("malformed text is written")
		}
	}
	for i := range texts {
		if string(texts[i]) != want[i] {
			t.Errorf("a text of %d bytes has changed", len(want[i]))
		}
	}
}

// TestPools has many goroutines use the pools at once.
func TestPools(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), 100)
			for range 200 {
				var x sample
				if err := wire.UnmarshalString(`{"type":"`+text+`","text":"","labels":["`+text+`"]}`, &x); err != nil {
					t.Error(err)
				}
				if err := wire.UnmarshalString(`{"type":"`+text+`"}`, new(sample)); err == nil {
					t.Error("no error")
				}
				got, err := wire.Marshal(wire.StringScalar(x.Type + x.Labels[0]))
				if err != nil || string(got) != `"`+text+text+`"` {
					t.Errorf("got %s, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// stubborn fails without telling the Reader.
type stubborn struct{ wire.Raw }

func (stubborn) DecodeJSON(r *wire.Reader) error { return io.ErrNoProgress }

// lazy does not ask the Reader how it went.
type lazy struct{ wire.Raw }

func (lazy) DecodeJSON(r *wire.Reader) error {
	r.ReadInt64()
	return nil
}

func TestUnmarshal(t *testing.T) {
	var s wire.Scalar
	wantError(t, "two values", wire.Unmarshal([]byte("1 2"), &s), "wire: at byte 2: expected the end of the text, found '2'")
	wantError(t, "nothing", wire.Unmarshal(nil, &s), "wire: at byte 0: expected a string or a number or a boolean or null, found the end of the text")
	if err := wire.Unmarshal([]byte("1"), stubborn{}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	wantError(t, "lazy", wire.Unmarshal([]byte(`"x"`), lazy{}), "wire: at byte 0: expected an integer, found a string")
}
