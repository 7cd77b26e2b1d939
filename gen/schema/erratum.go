package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// applyErrata patches the tree in place. It returns an error if the old value is not at the
// pointer, because the erratum must be reviewed after the upstream file was edited.
func applyErrata(revision string, root map[string]any, errata []spec.Erratum) error {
	for _, e := range errata {
		if !e.Contains(revision) {
			continue
		}
		misfit, err := apply(root, e)
		if err != nil {
			return &Error{revision, place(e), "erratum: " + err.Error()}
		}
		if misfit != "" {
			return &Error{revision, place(e), "stale erratum: " + misfit}
		}
	}
	return nil
}

// Misfits returns for each erratum why it does not apply to a schema.json, whose revision need not
// be in its range. The reason is "" for one that applies.
func Misfits(revision string, src []byte, errata []spec.Erratum) ([]string, error) {
	root, err := decode(revision, src)
	if err != nil {
		return nil, err
	}
	misfits := make([]string, len(errata))
	for i, e := range errata {
		if misfits[i], err = apply(root, e); err != nil {
			return nil, &Error{revision, place(e), "erratum: " + err.Error()}
		}
	}
	return misfits, nil
}

// place returns the row of an erratum and its place in the schema.
func place(e spec.Erratum) string {
	if e.Where == "" {
		return e.Pointer
	}
	return e.Where + ": " + e.Pointer
}

// apply patches the tree in place. If the erratum does not apply, misfit is the reason.
func apply(root map[string]any, e spec.Erratum) (misfit string, err error) {
	oldValue, err := normalize(e.Old)
	if err != nil {
		return "", err
	}
	newValue, err := normalize(e.New)
	if err != nil {
		return "", err
	}
	set, current, ok := Locate(root, e.Pointer)
	if !ok {
		return "there is no value", nil
	}
	if !reflect.DeepEqual(current, oldValue) {
		return fmt.Sprintf("want %s, found %s", show(oldValue), show(current)), nil
	}
	set(newValue)
	return "", nil
}

// Locate returns the value at a JSON Pointer and a function that replaces it.
func Locate(root map[string]any, pointer string) (set func(any), value any, ok bool) {
	value = root
	for _, segment := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		segment = wire.PointerName(segment)
		switch parent := value.(type) {
		case map[string]any:
			value, ok = parent[segment]
			set = func(v any) { parent[segment] = v }
		case []any:
			i, err := strconv.Atoi(segment)
			ok = err == nil && i >= 0 && i < len(parent)
			if ok {
				value = parent[i]
			}
			set = func(v any) { parent[i] = v }
		default:
			ok = false
		}
		if !ok {
			return nil, nil, false
		}
	}
	return set, value, true
}

// normalize converts a value from YAML to the types of the tree.
func normalize(v any) (any, error) {
	src, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(string(src)))
	dec.UseNumber()
	var out any
	err = dec.Decode(&out)
	return out, err
}

func show(v any) string {
	src, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(src)
}
