package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// capability is a capability that clients declare.
type capability struct {
	name  string
	value wire.Raw
	until string // the last revision that has it, or "" if the newest one has
}

// fullClient lists what a client with every feature declares. Servers offer some tools only to
// clients that declare what these tools need.
var fullClient = []capability{
	{name: "roots", value: `{"listChanged":true}`},
	{name: "sampling", value: `{"context":{},"tools":{}}`},
	{name: "elicitation", value: `{"form":{},"url":{}}`},
	{name: "tasks", value: `{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}`, until: "2025-11-25"},
}

// capabilities is the value of the flag --capabilities: what mcpgen declares to a server.
type capabilities struct {
	narrowed bool         // the flag was given
	known    []capability // those of fullClient
	object   wire.Object  // the whole object, or "" for known
}

// String implements pflag.Value.
func (c *capabilities) String() string { return "" }

// Type implements pflag.Value.
func (c *capabilities) Type() string { return "LIST" }

// Set implements pflag.Value. It accepts names of fullClient, "all", "none", or the ClientCapabilities
// object itself.
func (c *capabilities) Set(text string) error {
	*c = capabilities{narrowed: true}
	switch text = strings.TrimSpace(text); {
	case text == "all":
		c.known = fullClient
		return nil
	case text == "none" || text == "":
		return nil
	case strings.HasPrefix(text, "{"):
		in := wire.NewStringReader(text)
		c.object = in.ReadObject()
		in.End()
		return in.Err()
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(fullClient, func(known capability) bool { return known.name == name })
		if i < 0 {
			return fmt.Errorf("unknown capability %q%s", name, config.Suggestion(name, capabilityValues()))
		}
		c.known = append(c.known, fullClient[i])
	}
	return nil
}

// capabilityValues returns the words that --capabilities accepts.
func capabilityValues() []string {
	values := []string{"all", "none"}
	for _, known := range fullClient {
		values = append(values, known.name)
	}
	return values
}

// flag adds --capabilities to a command.
func (c *capabilities) flag(cmd *cobra.Command) {
	cmd.Flags().Var(c, "capabilities", "what to declare to a running server: all (the default), none, some of "+
		strings.Join(capabilityValues()[2:], ",")+", or a ClientCapabilities object as JSON")
	completeValues(cmd, "capabilities", capabilityValues()...)
}

// declared returns the declared capabilities.
func (c *capabilities) declared() []capability {
	if !c.narrowed {
		return fullClient
	}
	return c.known
}

// names returns the names of the declared capabilities.
func (c *capabilities) names() []string {
	names := []string{}
	for _, known := range c.declared() {
		names = append(names, known.name)
	}
	for name := range c.object.All() {
		names = append(names, name)
	}
	return names
}

// in returns the ClientCapabilities object for a revision.
func (c *capabilities) in(revision string) (wire.Object, error) {
	if c.object != "" {
		return c.object, nil
	}
	all := wire.Object("{}")
	for _, known := range c.declared() {
		if known.until != "" && revision > known.until {
			continue
		}
		var err error
		if all, err = all.With(known.name, known.value); err != nil {
			return "", err
		}
	}
	return all, nil
}
