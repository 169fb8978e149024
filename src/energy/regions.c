/* regions.c -- carbon intensity of electricity, by country.
 *
 * Yearly averages, location-based, with life-cycle emission factors.  Source:
 * Ember, Yearly Electricity Data, as republished by the Green Web Foundation in
 * CO2.js (data of 2025-08-03, unchanged in version 0.19.0 of August 2026).
 *
 * Contains data of Ember (ember-energy.org), used under CC BY-SA 4.0, the
 * licence that CO2.js states for it: share it further under the same terms, and
 * with this line.
 *
 * Another table, CodeCarbon's from Our World in Data, differs by 5 % in the
 * middle and by 32 % at most: these are no exact figures. */
#include "energy/regions.h"

#include "base/compiler.h"

/* clang-format off */
const struct region region_table[] = {
    { "US", "USA", "United States", 383.6, 2024 },
    { "CA", "CAN", "Canada", 185.0, 2024 },
    { "MX", "MEX", "Mexico", 483.1, 2024 },
    { "BR", "BRA", "Brazil", 106.1, 2024 },
    { "AR", "ARG", "Argentina", 344.8, 2024 },
    { "CL", "CHL", "Chile", 265.5, 2024 },
    { "CO", "COL", "Colombia", 285.8, 2024 },
    { "PE", "PER", "Peru", 263.3, 2024 },
    { "GB", "GBR", "United Kingdom", 215.8, 2024 },
    { "IE", "IRL", "Ireland", 279.8, 2024 },
    { "FR", "FRA", "France", 44.2, 2024 },
    { "DE", "DEU", "Germany", 342.1, 2024 },
    { "NL", "NLD", "Netherlands", 252.7, 2024 },
    { "BE", "BEL", "Belgium", 117.6, 2024 },
    { "LU", "LUX", "Luxembourg", 134.6, 2024 },
    { "CH", "CHE", "Switzerland", 36.7, 2024 },
    { "AT", "AUT", "Austria", 102.6, 2024 },
    { "IT", "ITA", "Italy", 287.8, 2024 },
    { "ES", "ESP", "Spain", 146.2, 2024 },
    { "PT", "PRT", "Portugal", 111.8, 2024 },
    { "DK", "DNK", "Denmark", 143.3, 2024 },
    { "NO", "NOR", "Norway", 30.8, 2024 },
    { "SE", "SWE", "Sweden", 35.9, 2024 },
    { "FI", "FIN", "Finland", 72.2, 2024 },
    { "IS", "ISL", "Iceland", 28.3, 2023 },
    { "EE", "EST", "Estonia", 341.0, 2024 },
    { "LV", "LVA", "Latvia", 136.2, 2024 },
    { "LT", "LTU", "Lithuania", 139.3, 2024 },
    { "PL", "POL", "Poland", 615.0, 2024 },
    { "CZ", "CZE", "Czechia", 413.9, 2024 },
    { "SK", "SVK", "Slovakia", 96.5, 2024 },
    { "HU", "HUN", "Hungary", 182.8, 2024 },
    { "RO", "ROU", "Romania", 245.6, 2024 },
    { "BG", "BGR", "Bulgaria", 264.2, 2024 },
    { "GR", "GRC", "Greece", 319.8, 2024 },
    { "HR", "HRV", "Croatia", 174.5, 2024 },
    { "SI", "SVN", "Slovenia", 227.1, 2024 },
    { "RS", "SRB", "Serbia", 670.8, 2024 },
    { "UA", "UKR", "Ukraine", 250.5, 2022 },
    { "TR", "TUR", "Turkey", 469.7, 2024 },
    { "RU", "RUS", "Russia", 446.2, 2024 },
    { "KZ", "KAZ", "Kazakhstan", 801.8, 2024 },
    { "IL", "ISR", "Israel", 567.3, 2023 },
    { "SA", "SAU", "Saudi Arabia", 692.0, 2024 },
    { "AE", "ARE", "United Arab Emirates", 467.5, 2024 },
    { "QA", "QAT", "Qatar", 602.8, 2024 },
    { "EG", "EGY", "Egypt", 574.5, 2024 },
    { "MA", "MAR", "Morocco", 577.6, 2024 },
    { "ZA", "ZAF", "South Africa", 713.9, 2024 },
    { "NG", "NGA", "Nigeria", 507.9, 2024 },
    { "KE", "KEN", "Kenya", 84.8, 2024 },
    { "ET", "ETH", "Ethiopia", 23.6, 2023 },
    { "IN", "IND", "India", 709.0, 2024 },
    { "PK", "PAK", "Pakistan", 398.6, 2024 },
    { "BD", "BGD", "Bangladesh", 694.6, 2024 },
    { "LK", "LKA", "Sri Lanka", 509.8, 2022 },
    { "CN", "CHN", "China", 557.5, 2024 },
    { "HK", "HKG", "Hong Kong", 682.0, 2023 },
    { "TW", "TWN", "Taiwan", 635.1, 2024 },
    { "JP", "JPN", "Japan", 483.7, 2024 },
    { "KR", "KOR", "South Korea", 415.6, 2024 },
    { "SG", "SGP", "Singapore", 498.7, 2024 },
    { "MY", "MYS", "Malaysia", 604.4, 2024 },
    { "TH", "THA", "Thailand", 555.4, 2024 },
    { "VN", "VNM", "Vietnam", 486.1, 2024 },
    { "ID", "IDN", "Indonesia", 682.4, 2023 },
    { "PH", "PHL", "Philippines", 613.4, 2024 },
    { "AU", "AUS", "Australia", 553.8, 2024 },
    { "NZ", "NZL", "New Zealand", 120.1, 2024 },
    { "", "", "World", 472.9, 2024 },
    { "EU", "", "European Union", 213.0, 2024 },
    { "", "", "Europe", 285.0, 2024 },
    { "", "", "North America", 358.4, 2024 },
    { "", "", "Asia", 572.1, 2024 },
    { "", "", "ASEAN", 573.7, 2024 },
    { "", "", "Oceania", 495.5, 2024 },
    { "", "", "Latin America and Caribbean", 254.2, 2024 },
    { "", "", "Middle East", 637.2, 2024 },
    { "", "", "Africa", 545.1, 2024 },
    { "", "", "OECD", 338.0, 2024 },
    { "", "", "G7", 343.3, 2024 },
    { "", "", "G20", 468.4, 2024 },
};
/* clang-format on */

const size_t region_count = LEN(region_table);
