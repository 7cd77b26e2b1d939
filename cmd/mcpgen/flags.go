package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flag without an effect on a command line is an error, because the user expects one. The functions of this file
// declare, beside the flags of a command, the situations in which a flag has none.

// situation adds a check of the command lines of a command. refuse returns an error for those that
// it refuses. In this file, names of flags are without dashes.
func situation(cmd *cobra.Command, refuse func(args []string) error) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		return refuse(args)
	}
}

// given reports whether a flag is on the command line. A switch that is turned off is not.
func given(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && f.Changed && !(f.Value.Type() == "bool" && f.Value.String() == "false")
}

// needs declares that a flag, or each of several that are separated by spaces, has an effect only with one of others.
func needs(cmd *cobra.Command, flags string, others ...string) {
	idle(cmd, flags, "needs "+alternatives(others), func([]string) bool {
		return !slices.ContainsFunc(others, func(name string) bool { return given(cmd, name) })
	})
}

// excludes declares that flags have no effect with another one.
func excludes(cmd *cobra.Command, other string, flags ...string) {
	idle(cmd, strings.Join(flags, " "), "has no effect with --"+other, func([]string) bool { return given(cmd, other) })
}

// idle declares that flags have no effect on the command lines for which a function returns true.
func idle(cmd *cobra.Command, flags, why string, without func(args []string) bool) {
	situation(cmd, func(args []string) error {
		for flag := range strings.FieldsSeq(flags) {
			if given(cmd, flag) && without(args) {
				return fmt.Errorf("--%s %s", flag, why)
			}
		}
		return nil
	})
}

// alone declares that a flag makes a command do something else, for which only some of its flags and no arguments
// have an effect.
func alone(cmd *cobra.Command, flag string, others ...string) {
	situation(cmd, func(args []string) (err error) {
		if !given(cmd, flag) {
			return nil
		}
		if len(args) > 0 {
			return fmt.Errorf("the argument %q has no effect with --%s", args[0], flag)
		}
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if err == nil && f.Name != flag && given(cmd, f.Name) && !slices.Contains(others, f.Name) {
				err = fmt.Errorf("--%s has no effect with --%s", f.Name, flag)
			}
		})
		return err
	})
}

// alternatives returns flags as a list for people.
func alternatives(flags []string) string {
	var list []string
	for _, name := range flags {
		list = append(list, "--"+name)
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return list[0]
}

// once is the value of a flag that may be given only once, because the last value would silently win.
type once struct {
	pflag.Value
	name, given string
	set         bool
}

// Set implements pflag.Value.
func (o *once) Set(text string) error {
	if o.set && text != o.given {
		return &twiceError{o.name, o.given, text}
	}
	o.set, o.given = true, text
	return o.Value.Set(text)
}

// twiceError reports a flag with two values.
type twiceError struct{ name, first, second string }

func (e *twiceError) Error() string {
	return fmt.Sprintf("--%s is given twice, as %q and %q", e.name, e.first, e.second)
}

// onlyOnce makes the flags of a command and of those below it refuse a second value, unless they collect values.
func onlyOnce(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, collects := f.Value.(pflag.SliceValue); !collects {
			if f.DefValue == "0s" { // pflag knows only its own types by their zero values
				f.DefValue = "0"
			}
			f.Value = &once{Value: f.Value, name: f.Name}
		}
	})
	for _, c := range cmd.Commands() {
		onlyOnce(c)
	}
}
