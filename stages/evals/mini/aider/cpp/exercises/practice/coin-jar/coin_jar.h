#pragma once

namespace coin_jar {

int worth(int small, int large);

}  // namespace coin_jar
