//go:build !bootstrap

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// extensionFlags are the flags of verify for an extension.
type extensionFlags struct{ name, overlay string }

// judgeByExtension applies --extension, with the schema of a file if there is one.
func (v *verifier) judgeByExtension(cmd *cobra.Command, revision, schema string) error {
	all := generated.Extensions()
	at := slices.IndexFunc(all, func(x generated.Extension) bool { return x.Name == v.extension.name })
	switch {
	case schema != "":
		x, err := v.schemaExtension(cmd, revision, schema)
		if err != nil {
			return err
		}
		if at >= 0 {
			all = slices.Delete(all, at, at+1)
		}
		at = len(all)
		all = append(all, *x)
	case v.extension.overlay != "":
		return errors.New("--overlay needs --schema")
	case at < 0:
		return fmt.Errorf("extension %q has no generated code; --schema checks any extension", v.extension.name)
	case revision != "" && revision != all[at].Revision:
		return fmt.Errorf("extension %s extends revision %s, not %s", v.extension.name, all[at].Revision, revision)
	case v.definition == "":
		return fmt.Errorf("--extension needs --schema or --definition: the messages of %s are checked without it", v.extension.name)
	}
	v.opts.Extensions = audit.NewExtensions(all)
	if v.definition == "" {
		return nil
	}
	core, _ := generated.Lookup(all[at].Revision)
	core.New = all[at].New
	v.opts.Revision = &core
	return v.checkDefinition()
}

// schemaExtension returns an extension without generated code: a schema.json checks its values. It uses
// the overlay of the pinned extension of the same name, unless --overlay names another one.
func (v *verifier) schemaExtension(cmd *cobra.Command, revision, schema string) (*generated.Extension, error) {
	src, err := readSource(cmd.Context(), cmd.InOrStdin(), schema)
	if err != nil {
		return nil, err
	}
	project, err := spec.Load(spec.Embedded())
	if err != nil {
		return nil, err
	}
	x := extensionSource(project, v.extension.name, revision, src)
	if x.Overlay, err = overlayOf(project, x.Name, v.extension.overlay); err != nil {
		return nil, err
	}
	lowered, err := gen.LowerExtension(project, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schema, err)
	}
	core, ok := generated.Lookup(x.Revision)
	if !ok {
		return nil, unknownRevision(x.Revision)
	}
	own, err := newSchemaDefinitions(schema, lowered.Document, lowered.Revision)
	if err != nil {
		return nil, err
	}
	return &generated.Extension{
		Extension: emit.Extension(lowered.Revision),
		New: func(definition string) (wire.Value, bool) {
			if value, ok := own.value(definition); ok {
				return value, true
			}
			return core.New(definition)
		},
	}, nil
}
