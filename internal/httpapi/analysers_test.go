package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Everyone who is signed in sees which analysers a policy can switch on. Folders of the server stay hidden.
func TestConfiguredAnalysers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var got httpapi.ConfiguredAnalysers
	w.into(&got, w.call(member, http.MethodGet, "/api/analysers", ""))
	wantJSON(t, "analysers", got.Items, []httpapi.ConfiguredAnalyser{{Name: "shellcheck", Program: "shellcheck", Version: "0.9",
		Languages: []string{"Bash"}, Paths: []string{}}})
	testkit.Equal(t, "anonymous", w.call(anonymous, http.MethodGet, "/api/analysers", "").status, http.StatusUnauthorized)
}
