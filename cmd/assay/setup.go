package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/tracking"
)

type setupCmd struct {
	Name      string `required:"" help:"Name of the instance."`
	Tenant    string `required:"" help:"Name of the first tenant."`
	Admin     string `required:"" help:"Name of its first admin, who manages the instance too."`
	PublicURL string `name:"public-url" placeholder:"URL" help:"Public base URL; not needed where ASSAY_PUBLIC_BASE_URL is set."`

	AppID         int64  `name:"app-id" placeholder:"N" help:"Number of a GitHub App; apps can be entered later, too."`
	AppHost       string `name:"app-host" placeholder:"URL" help:"Origin of a GitHub Enterprise Server."`
	ClientID      string `name:"client-id" help:"Client id of the app."`
	PrivateKey    string `name:"private-key-file" placeholder:"FILE" help:"PEM file of the app. Default: $$ASSAY_SETUP_PRIVATE_KEY_FILE, or the key in $$ASSAY_SETUP_PRIVATE_KEY."`
	WebhookSecret string `name:"webhook-secret-file" placeholder:"FILE" help:"Default: $$ASSAY_SETUP_WEBHOOK_SECRET_FILE, or the secret in $$ASSAY_SETUP_WEBHOOK_SECRET."`
	ClientSecret  string `name:"client-secret-file" placeholder:"FILE" help:"Default: $$ASSAY_SETUP_CLIENT_SECRET_FILE, or the secret in $$ASSAY_SETUP_CLIENT_SECRET."`

	Connection   string   `enum:",gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops" default:"" placeholder:"KIND" help:"Host without apps."`
	Host         string   `name:"connection-url" placeholder:"URL" help:"Its address. Not needed for gitlab.com and bitbucket.org."`
	Owner        string   `name:"connection-owner" help:"User, organisation or workspace there whose repositories are reviewed."`
	Username     string   `name:"connection-username" help:"Bitbucket Cloud: email of an API token, or consumer key."`
	Token        string   `name:"connection-token-file" placeholder:"FILE" help:"Access token. Default: $$ASSAY_SETUP_CONNECTION_TOKEN_FILE, or the token in $$ASSAY_SETUP_CONNECTION_TOKEN."`
	Repositories []string `name:"connection-repositories" placeholder:"NAME" help:"Names of repositories of the owner. Default: all."`
	NoWebhooks   bool     `name:"no-webhooks" help:"Do not register webhooks there."`
}

// Help implements kong.HelpProvider.
func (setupCmd) Help() string {
	return `It does what the setup page does: name and address, a code host by an app or a connection, the first tenant
with its admin. It prints a link that signs the admin in, once, for 15 minutes. Where a part is refused, the parts
before it stay, and the command can be repeated.

Examples:

    assay setup --name "Example Corp reviews" --tenant "Example Corp" --admin "Ada Admin" --public-url https://assay.example.com
    assay setup --name Reviews --tenant Acme --admin Ada --app-id 1240001 --client-id Iv23liexample \
      --private-key-file app.pem --webhook-secret-file webhook --client-secret-file client
    assay setup --name Reviews --tenant Acme --admin Ada --connection gitea \
      --connection-url https://gitea.example.com --connection-owner acme --connection-token-file token`
}

// maxSecretFile bounds a file with a secret, in bytes.
const maxSecretFile = 16 << 10

// secretValue reads a secret from the file that a flag or the environment names, or from a variable. A flag
// cannot hold a secret, because every process of the machine sees flags.
func (e *env) secretValue(file, variable string) (string, error) {
	from := "that a flag names"
	if file == "" {
		file, from = e.variable(variable+"_FILE"), "of "+variable+"_FILE"
	}
	if file == "" {
		return e.variable(variable), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read the file %s: %w", from, err)
	}
	defer func() { _ = f.Close() }() // only read
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err != nil || len(b) > maxSecretFile {
		return "", fmt.Errorf("the file %s cannot be read, or is larger than 16 KiB", from)
	}
	return strings.TrimSpace(string(b)), nil
}

// Run implements the command.
func (c *setupCmd) Run(e *env) error {
	app := instance.GitHubAppRegister{BaseURL: strings.TrimRight(c.AppHost, "/"), AppID: c.AppID, ClientID: c.ClientID}
	for _, one := range []struct {
		to             *string
		file, variable string
	}{{&app.PrivateKey, c.PrivateKey, "ASSAY_SETUP_PRIVATE_KEY"}, {&app.WebhookSecret, c.WebhookSecret, "ASSAY_SETUP_WEBHOOK_SECRET"},
		{&app.ClientSecret, c.ClientSecret, "ASSAY_SETUP_CLIENT_SECRET"}} {
		var err error
		if *one.to, err = e.secretValue(one.file, one.variable); err != nil {
			return err
		}
	}
	code, err := c.connection(e)
	if err != nil {
		return err
	}
	return e.withFirstRun(func(ctx context.Context, s *instance.Service, t *tracking.Service) error {
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
				e.say("The app %s is registered. Its webhook URL is %s; install it at %s.", printable(made.Slug), made.WebhookURL,
					printable(made.InstallURL))
			}
		}
		if c.Connection != "" {
			if err := c.connect(ctx, e, s, t, code); err != nil {
				return err
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

// connection returns the connection that the flags describe.
func (c *setupCmd) connection(e *env) (in tracking.ProviderConnectionCreate, err error) {
	if c.Connection == "" {
		if c.Host+c.Owner+c.Username+c.Token != "" || len(c.Repositories) > 0 || c.NoWebhooks {
			return in, usageError("--connection-… and --no-webhooks go with --connection")
		}
		return in, nil
	}
	in = tracking.ProviderConnectionCreate{Kind: c.Connection, BaseURL: c.Host, Owner: c.Owner, Username: c.Username,
		Repositories: tracking.Repositories{All: len(c.Repositories) == 0, Names: c.Repositories}, RegisterWebhooks: !c.NoWebhooks}
	token, err := e.secretValue(c.Token, "ASSAY_SETUP_CONNECTION_TOKEN")
	if err == nil && token == "" {
		err = usageError("--connection needs a token: --connection-token-file, or ASSAY_SETUP_CONNECTION_TOKEN")
	}
	in.Token = token
	return in, err
}

// connect makes the connection. If an earlier attempt made one, it changes that one instead.
func (c *setupCmd) connect(ctx context.Context, e *env, s *instance.Service, t *tracking.Service,
	in tracking.ProviderConnectionCreate) error {
	var made tracking.ProviderConnection
	err := s.ConnectFirst(ctx, func(ctx context.Context, tenant domain.Tenant, id string,
		note func(context.Context, string) error) (err error) {
		made, err = t.PutProvider(ctx, tenant, id, in, func(ctx context.Context, r tracking.ProviderConnection) error { return note(ctx, r.ID) })
		return err
	})
	if err != nil {
		return fields(err)
	}
	host := codehost.NameOf(domain.ConnectionKind(made.Kind))
	if made.State == domain.ConnectionBroken {
		e.say("%s at %s is stored, and does not work yet: %s", host, printable(made.BaseURL), printable(made.Message))
		return nil
	}
	e.say("%s", strings.TrimSpace(fmt.Sprintf("%s at %s is connected for %s. %s", host, printable(made.BaseURL), printable(made.Owner),
		printable(made.Message))))
	return nil
}

// fields adds the wrong parts of a request to its error.
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
