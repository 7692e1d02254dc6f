package httpapi

import (
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/tenant"
)

// start is the path of the start page, without subpaths.
const start = "/{$}"

// pageRoutes returns the operator's pages and their assets. They are not in the description of the
// interface, except the pages of the first run and of sign-in, because programs use those paths, too.
func pageRoutes() []Route {
	return []Route{
		{"GET", start, perm.Public, "-", "no", page((*server).home)},
		{"POST", "/sign-out", perm.Authenticated, "-", "yes", page((*server).signOut)},
		{"GET", "/t/{tenantId}", perm.TenantView, "-", "no", page((*server).consolePage)},
		{"GET", "/t/{tenantId}/{page...}", perm.TenantView, "-", "no", page((*server).consolePage)},
		{"GET", "/instance", perm.InstanceManage, "-", "no", page((*server).consolePage)},
		{"GET", "/instance/{page...}", perm.InstanceManage, "-", "no", page((*server).consolePage)},
		{"GET", tenant.InvitationPage, perm.Public, "-", "no", page((*server).consolePage)}, // its script keeps the token before it asks to sign in
		{"GET", assetsPath + "{file}", perm.Public, "-", "no", page((*server).consoleAsset)},
		{"GET", "/docs/api", perm.Public, "-", "no", page((*server).docs)},
		{"GET", "/assets/style.css", perm.Public, "-", "no", page((*server).styleSheet)},
		{"GET", "/assets/token.js", perm.Public, "-", "no", page((*server).tokenScript)},
	}
}
