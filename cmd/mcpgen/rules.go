package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/diff/render"
)

func rulesCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules of diff and what lowers their levels",
		Long: `List the rules of diff. The levels of a rule follow from its effect on the set of
accepted values: one level if the receiver of a value is upgraded first, and one
if the sender is. A server receives arguments and sends results. A guard lowers a
level from err. The version is the smallest version change for a finding of the
rule; a finding of level err requires a major version.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return render.Rules(cmd.OutOrStdout(), render.Format(strings.ToLower(format)))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	jsonFormat(cmd, &format)
	completeValues(cmd, "format", "text", "json", "markdown")
	return cmd
}
