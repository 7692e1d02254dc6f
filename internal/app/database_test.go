package app

import (
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// A data source in keyword form opens the same database as one in URL form.
func TestKeywordsOpenTheDatabase(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(testkit.Postgres(t))
	testkit.OK(t, err)
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	text := "dbname='" + quoted.Replace(strings.TrimPrefix(u.Path, "/")) + "' user=" + u.User.Username()
	if password, ok := u.User.Password(); ok {
		text += " password='" + quoted.Replace(password) + "'"
	}
	if u.Hostname() != "" {
		text += " host=" + u.Hostname()
	}
	if u.Port() != "" {
		text += " port=" + u.Port()
	}
	for name, values := range u.Query() {
		text += " " + name + "='" + quoted.Replace(values[0]) + "'"
	}
	c := config.Default()
	c.DataDir, c.DatabaseURL = t.TempDir(), secret.New(text)
	s, err := OpenStore(t.Context(), c)
	testkit.OK(t, err)
	defer func() { testkit.OK(t, s.Close()) }()
	testkit.OK(t, s.Ping(t.Context()))
	testkit.Equal(t, "engine", s.Engine(), config.Postgres)
}
