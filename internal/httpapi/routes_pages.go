package httpapi

import "github.com/assay-dev/assay/internal/perm"

// start is the path of the start page, and of nothing below it.
const start = "/{$}"

// pageRoutes are the operator's pages and what they load. The description of
// the interface does not have them. The page of the first run and those of
// signing in are described: programs use their paths, too.
func pageRoutes() []Route {
	return []Route{
		{"GET", start, perm.Public, "-", "no", page((*server).home)},
		{"POST", "/sign-out", perm.Authenticated, "-", "yes", page((*server).signOut)},
		{"GET", "/t/{tenantId}", perm.TenantView, "-", "no", page((*server).consolePage)},
		{"GET", "/t/{tenantId}/{page...}", perm.TenantView, "-", "no", page((*server).consolePage)},
		{"GET", "/instance", perm.InstanceManage, "-", "no", page((*server).consolePage)},
		{"GET", "/instance/{page...}", perm.InstanceManage, "-", "no", page((*server).consolePage)},
		{"GET", assetsPath + "{file}", perm.Public, "-", "no", page((*server).consoleAsset)},
		{"GET", "/docs/api", perm.Public, "-", "no", page((*server).docs)},
		{"GET", "/assets/style.css", perm.Public, "-", "no", page((*server).styleSheet)},
		{"GET", "/assets/token.js", perm.Public, "-", "no", page((*server).tokenScript)},
	}
}
