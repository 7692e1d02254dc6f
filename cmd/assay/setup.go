package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
)

type setupCmd struct {
	Name      string `required:"" help:"Name of the instance."`
	Tenant    string `required:"" help:"Name of the first tenant."`
	Admin     string `required:"" help:"Name of its first admin, who manages the instance too."`
	PublicURL string `name:"public-url" placeholder:"URL" help:"Public base URL; not needed where ASSAY_PUBLIC_BASE_URL is set."`

	AppID         int64  `name:"app-id" placeholder:"N" help:"Number of a GitHub App; without it, apps are entered later."`
	AppHost       string `name:"app-host" placeholder:"URL" help:"Origin of a GitHub Enterprise Server."`
	ClientID      string `name:"client-id" help:"Client id of the app."`
	PrivateKey    string `name:"private-key-file" placeholder:"FILE" help:"PEM file of the app. Default: $$ASSAY_SETUP_PRIVATE_KEY_FILE, or the key in $$ASSAY_SETUP_PRIVATE_KEY."`
	WebhookSecret string `name:"webhook-secret-file" placeholder:"FILE" help:"Default: $$ASSAY_SETUP_WEBHOOK_SECRET_FILE, or the secret in $$ASSAY_SETUP_WEBHOOK_SECRET."`
	ClientSecret  string `name:"client-secret-file" placeholder:"FILE" help:"Default: $$ASSAY_SETUP_CLIENT_SECRET_FILE, or the secret in $$ASSAY_SETUP_CLIENT_SECRET."`
}

// Help implements kong.HelpProvider.
func (setupCmd) Help() string {
	return `It does what the setup page does: name and address, the app, the first tenant with its admin. It prints a link that signs the admin in, once, for 15 minutes. Where a part is refused, the parts before it stay, and the command can be repeated.

Examples:

    assay setup --name "Example Corp reviews" --tenant "Example Corp" --admin "Ada Admin" --public-url https://assay.example.com
    assay setup --name Reviews --tenant Acme --admin Ada --app-id 1240001 --client-id Iv23liexample --private-key-file app.pem --webhook-secret-file webhook --client-secret-file client`
}

// maxSecretFile is the largest file with a secret that is read.
const maxSecretFile = 16 << 10

// secretValue reads a secret: a file that a flag or the environment names, or a
// variable. Secrets are no flags, because every process of the machine sees those.
func (e *env) secretValue(file, variable string) (string, error) {
	if file == "" {
		file = e.variable(variable + "_FILE")
	}
	if file == "" {
		return e.variable(variable), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read the file for %s: %w", variable, err)
	}
	defer func() { _ = f.Close() }() // it was read
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err != nil || len(b) > maxSecretFile {
		return "", fmt.Errorf("the file for %s cannot be read, or is larger than 16 KiB", variable)
	}
	return strings.TrimSpace(string(b)), nil
}

// Run implements the command.
func (c *setupCmd) Run(e *env) error {
	app := instance.GitHubAppRegister{BaseURL: strings.TrimRight(c.AppHost, "/"), AppID: c.AppID, ClientID: c.ClientID}
	for _, one := range []struct {
		to             *string
		file, variable string
	}{{&app.PrivateKey, c.PrivateKey, "ASSAY_SETUP_PRIVATE_KEY"}, {&app.WebhookSecret, c.WebhookSecret, "ASSAY_SETUP_WEBHOOK_SECRET"}, {&app.ClientSecret, c.ClientSecret, "ASSAY_SETUP_CLIENT_SECRET"}} {
		var err error
		if *one.to, err = e.secretValue(one.file, one.variable); err != nil {
			return err
		}
	}
	return e.withSetup(func(ctx context.Context, _ config.Config, s *instance.Service) error {
		done, err := s.Done(ctx)
		if err != nil {
			return err
		}
		if done {
			return errSetUp
		}
		if _, err := s.NameInstance(ctx, instance.SetupInstance{Name: c.Name, PublicBaseURL: strings.TrimRight(c.PublicURL, "/")}); err != nil {
			return fields(err)
		}
		if c.AppID != 0 {
			made, err := s.Register(ctx, app, true)
			switch {
			case errs.Is(err, errs.Conflict):
				e.say("An app is registered already; it stays.")
			case err != nil:
				return fields(err)
			default:
				e.say("The app %s is registered. Its webhook URL is %s; install it at %s.", printable(made.Slug), made.WebhookURL, printable(made.InstallURL))
			}
		}
		end, err := s.Finish(ctx, instance.SetupFinish{TenantName: c.Tenant, AdminName: c.Admin}, "")
		if err != nil {
			return fields(err)
		}
		e.say("The instance is set up. This link signs %s in, once, for %d minutes:", printable(c.Admin), int(instance.LinkLife.Minutes()))
		_, err = fmt.Fprintln(e.stdout, end.SignInLink)
		return err
	})
}

// fields writes out which parts of a request are wrong.
func fields(err error) error {
	known, ok := errors.AsType[*errs.Error](err)
	if !ok || len(known.Fields) == 0 {
		return err
	}
	var all []string
	for _, f := range known.Fields {
		all = append(all, strings.TrimPrefix(f.Pointer, "/")+" "+f.Message)
	}
	return errors.New(strings.Join(all, "; "))
}
