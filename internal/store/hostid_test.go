package store_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestIDsThatAreNoNumbers(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		app := storetest.App(t, s)
		_, err := s.SeeInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "{8f0c}", AccountID: "1"})
		testkit.Equal(t, "names the column", err != nil && strings.Contains(err.Error(), "installations.external_id"), true)
		_, err = s.InstallationByExternal(bg, app.ID, "{8f0c}")
		testkit.Equal(t, "names the column", err != nil && strings.Contains(err.Error(), "installations.external_id"), true)
		none, err := s.SeeInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "7", AccountID: ""})
		testkit.OK(t, err)
		testkit.Equal(t, "an id that is not known", none.AccountID, domain.HostID(""))
	})
}
