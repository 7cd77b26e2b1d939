package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

func authCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Log in to servers and log out",
		Long: `Log in to servers over HTTP and log out. The verbs that talk to a server use the
remembered login for its URL.

Logins are files in the folder mcpgen/tokens of the user's folder for configuration,
or in that of the variable MCPGEN_TOKENS. Only the user can read them.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(authLoginCommand(), authStatusCommand(), authLogoutCommand())
	return cmd
}

func authLoginCommand() *cobra.Command {
	var a access
	var c console
	cmd := &cobra.Command{
		Use:   "login URL",
		Short: "Log in to a server with a browser, and remember the login",
		Long: `Log in to a server with a browser, and remember the login. If the server accepts a
remembered login, nothing is asked.

On a machine without a browser, open the printed URL on another one, and paste the URL
of the page after the login, which fails to load there.`,
		Args: oneArgument("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.login = true
			transport, err := a.transport(cmd.Context(), args[0], cmd.ErrOrStderr(), cmd.InOrStdin())
			if err != nil {
				return err
			}
			status, err := transport.Status(cmd.Context())
			if errors.Is(err, client.ErrNoGrant) {
				return fmt.Errorf("%s does not ask for a login", args[0])
			}
			if err != nil {
				return err
			}
			return reportLogin(cmd, &c, args[0], status)
		},
	}
	a.loginFlags(cmd)
	c.flags(cmd)
	return cmd
}

func authStatusCommand() *cobra.Command {
	var c console
	cmd := &cobra.Command{
		Use:   "status URL",
		Short: "Print the remembered login",
		Long: `Print the remembered login, without asking the server. The exit code is 1
if there is none.`,
		Args: oneArgument("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			transport, err := storedLogin(args[0])
			if err != nil {
				return err
			}
			status, err := transport.Status(cmd.Context())
			if errors.Is(err, client.ErrNoGrant) {
				if !c.quiet {
					fmt.Fprintln(cmd.ErrOrStderr(), "mcpgen:", strings.TrimPrefix(err.Error(), "auth: "))
				}
				return errFindings
			}
			if err != nil {
				return err
			}
			return reportLogin(cmd, &c, args[0], status)
		},
	}
	c.flags(cmd)
	return cmd
}

func authLogoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout URL",
		Short: "Forget a login, and revoke its tokens if the authorization server supports that",
		Long: `Forget what is remembered of a server, also of a login that has failed: the tokens, which
are revoked if the authorization server supports that, and the client id that mcpgen got
when it registered there. The next login registers anew.`,
		Args: oneArgument("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			transport, err := storedLogin(args[0])
			if err != nil {
				return err
			}
			if err := transport.Logout(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: logged out\n", args[0])
			return nil
		},
	}
}

// storedLogin returns the transport with the remembered login to a server, which need not exist.
func storedLogin(address string) (*client.Transport, error) {
	store, err := rememberedLogins()
	if err != nil {
		return nil, err
	}
	return client.New(address, client.Options{Store: store, Flow: client.AuthorizationCode{Agent: noLogin{}}})
}

// loginReport is the report of a login.
type loginReport struct {
	Server    string     `json:"server"`
	Issuer    string     `json:"issuer"`
	ClientID  string     `json:"clientId"`
	Scopes    []string   `json:"scopes"`
	Expiry    *time.Time `json:"expiry,omitempty"` // of the access token
	Renewable bool       `json:"renewable"`        // without the user
}

func reportLogin(cmd *cobra.Command, c *console, address string, status client.Status) error {
	report := loginReport{address, status.Issuer, status.ClientID, status.Scopes, nil, status.Renewable}
	if !status.Expiry.IsZero() {
		report.Expiry = &status.Expiry
	}
	return c.report(cmd, report, report.text)
}

func (r loginReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: logged in at %s as client %s\n", r.Server, r.Issuer, r.ClientID)
	scopes := "none"
	if len(r.Scopes) > 0 {
		scopes = strings.Join(r.Scopes, " ")
	}
	fmt.Fprintf(w, "\tscopes:  %s\n", scopes)
	switch {
	case r.Renewable:
		fmt.Fprintln(w, "\texpires: renewed without asking")
	case r.Expiry == nil:
		fmt.Fprintln(w, "\texpires: unknown")
	default:
		fmt.Fprintf(w, "\texpires: %s\n", r.Expiry.Format(time.RFC3339))
	}
}
