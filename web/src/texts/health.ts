/** What a check of the installation is called, and what it looks at. */
interface Known {
  name: string;
  looks: string;
}

/** The checks of the installation by their codes, which never change their meaning. */
export const healthChecks: Readonly<Record<string, Known>> = {
  D001: { name: "Configuration", looks: "Whether the settings of the process are valid, and none is misspelt." },
  D002: { name: "Data folder", looks: "Whether the folder of the service's data can be read and written." },
  D003: { name: "Instance key", looks: "Whether the key is there that opens stored secrets." },
  D004: { name: "Database", looks: "Whether the database answers, and is new enough." },
  D005: { name: "Schema", looks: "Whether the tables are those of this version." },
  D006: { name: "Durability", looks: "Whether what the database has confirmed survives a crash." },
  D007: { name: "Stored secrets", looks: "Whether stored secrets can be opened." },
  D008: { name: "Clock", looks: "Whether the clocks of the service and of the database agree." },
  D009: { name: "Key-value store", looks: "Whether the key-value store answers, where there is one." },
  D010: { name: "Settings of the key-value store", looks: "Whether its version is new enough, and it keeps what the queue needs." },
  D011: { name: "Git", looks: "Whether git is there, and new enough." },
  D012: { name: "Public address", looks: "Whether the service answers at the address under which code hosts and people reach it." },
  D013: { name: "GitHub App", looks: "Whether the code host takes the key of each app, and its permissions and events are right." },
  D014: { name: "Installations", looks: "Whether the app is installed, and every installation belongs to a tenant." },
  D015: { name: "Models", looks: "Whether tenants have models, and their providers answer." },
  D016: { name: "Jobs given up", looks: "Whether jobs were given up, and wait for somebody to look at them." },
  D017: { name: "Workers", looks: "Whether workers take jobs." },
  D018: { name: "Sizing", looks: "How many reviews the workers can make in a minute." },
  D019: { name: "Addresses of clients", looks: "Whether clients are told apart behind a reverse proxy." },
  D020: { name: "Nothing lost", looks: "Whether every delivery had its effect, and every run ends." },
  D021: { name: "Nothing twice", looks: "Whether no head has a second review, and ends agree with what was published." },
  D022: { name: "Publications settled", looks: "Whether the code host has said what became of each publication." },
  D023: { name: "Child processes", looks: "Whether files of strangers are read in processes that can reach nothing else." },
  D024: { name: "Connections to code hosts", looks: "Whether connected code hosts answer." },
  D025: { name: "Connections to issue trackers", looks: "Whether connected issue trackers answer." },
};

/** Where the documentation of a check stands. */
export const healthDocs = (code: string): string => `https://github.com/assay-dev/assay/blob/main/docs/doctor.md#${code.toLowerCase()}`;
