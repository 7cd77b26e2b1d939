package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/gen/report"
)

// console determines how a verb reports: as text, as one JSON object, or not at all.
type console struct {
	json, quiet bool
}

// flags adds --json and --quiet to a command.
func (c *console) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.json, "json", false, "print the report as a JSON object")
	cmd.Flags().BoolVarP(&c.quiet, "quiet", "q", false, "print no report; the exit code is the answer")
	excludes(cmd, "quiet", "json")
}

// report prints the report of a verb: the value as JSON, or what text writes.
func (c *console) report(cmd *cobra.Command, value any, text func(w io.Writer)) error {
	switch {
	case c.quiet:
	case c.json:
		p := report.Printer{W: cmd.OutOrStdout()}
		p.JSON(value)
		return p.Err
	default:
		text(cmd.OutOrStdout())
	}
	return nil
}

// jsonFormat adds --json to a command with --format.
func jsonFormat(cmd *cobra.Command, format *string) {
	var on bool
	cmd.Flags().BoolVar(&on, "json", false, "like --format json")
	excludes(cmd, "json", "format")
	situation(cmd, func([]string) error {
		if on {
			*format = "json"
		}
		return nil
	})
	if cmd.Flags().Lookup("quiet") != nil {
		excludes(cmd, "quiet", "json", "format")
	}
}

// noArguments refuses arguments. For a command with verbs of its own, an argument is an unknown verb.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasAvailableSubCommands() {
		return unknownCommand(cmd, args[0])
	}
	hint := ""
	if list := cmd.Flags().Lookup("tools"); list != nil && !list.Changed {
		hint = fmt.Sprintf(" (did you mean --tools %s?)", args[0])
	}
	return fmt.Errorf("%s: unexpected argument %q%s", cmd.CommandPath(), args[0], hint)
}

// oneArgument requires one argument, which errors call what.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: expected %s; see %[1]s --help", cmd.CommandPath(), what)
		}
		return noArguments(cmd, args[1:])
	}
}

// atMostOne allows one argument.
func atMostOne(cmd *cobra.Command, args []string) error {
	return noArguments(cmd, args[min(len(args), 1):])
}

// beforeDash applies a check to the arguments before --. Those after it are the words of a command.
func beforeDash(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := cmd.ArgsLenAtDash(); n >= 0 {
			args = args[:n]
		}
		return check(cmd, args)
	}
}

// afterDash returns the arguments after --, or nil.
func afterDash(cmd *cobra.Command, args []string) []string {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[n:]
	}
	return nil
}

// unknownVerb returns the error for a command line whose verb does not exist, or nil. Cobra would first report the
// flags that follow, or print the help of the command above.
func unknownVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasAvailableSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], "__") {
		return nil // "__complete" is what the scripts of completion call
	}
	return unknownCommand(cmd, rest[0])
}

// unknownCommand returns the error for a verb that a command does not have.
func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	hint := config.Suggestion(name, known)
	if elsewhere := meant(cmd.Root(), name); elsewhere != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", elsewhere)
	}
	if hint == "" {
		hint = fmt.Sprintf("; see %s --help", cmd.CommandPath())
	}
	return fmt.Errorf("unknown command %q%s", cmd.CommandPath()+" "+name, hint)
}

// otherWords are words that people try for a verb.
var otherWords = map[string]string{
	"convert": "bridge", "gen": "generate", "init": "server", "inspect": "docs", "new": "server",
	"record": "proxy --record", "replay": "test", "serve": "mock", "validate": "verify",
}

// meant returns the verb that a word stands for, such as "mcpgen auth login" for login, or "".
func meant(root *cobra.Command, word string) string {
	for _, group := range root.Commands() {
		for _, c := range group.Commands() {
			if c.Name() == word && c.IsAvailableCommand() {
				return c.CommandPath()
			}
		}
	}
	if verb := otherWords[word]; verb != "" {
		return root.Name() + " " + verb
	}
	return ""
}

// flagError adds the nearest known flag to the error about an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && len(unknown.GetSpecifiedName()) > 1 {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if hint := config.Suggestion(unknown.GetSpecifiedName(), known); strings.Contains(hint, "did you mean") {
			return fmt.Errorf("unknown flag: --%s%s", unknown.GetSpecifiedName(), strings.ReplaceAll(hint, `mean "`, `mean "--`))
		}
	}
	if twice, ok := errors.AsType[*twiceError](err); ok {
		return twice
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// completeValues makes shells complete the values of a flag.
func completeValues(cmd *cobra.Command, flag string, values ...string) {
	must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// completeFiles makes shells complete the names of files with one of the extensions.
func completeFiles(cmd *cobra.Command, flag string, extensions ...string) {
	must(cmd.MarkFlagFilename(flag, extensions...))
}

// completeFolders makes shells complete the names of folders.
func completeFolders(cmd *cobra.Command, flag string) { must(cmd.MarkFlagDirname(flag)) }

// must panics with an error that only a mistake in the definition of a command causes.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// helpCommand is the verb help. It refuses topics that do not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if parent, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range parent.Commands() {
					if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), prefix) {
						names = append(names, c.Name()+"\t"+c.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, name := range args {
				next, rest, err := about.Find([]string{name})
				if err != nil || len(rest) > 0 || next == about {
					return unknownCommand(about, name)
				}
				about = next
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// printable returns text of a peer with hidden characters escaped, so that a terminal only displays
// it.
func printable(s string) string {
	return report.Escape(s, func(r rune) bool { return r != '\t' && report.Hidden(r) })
}
